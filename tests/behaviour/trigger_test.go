package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// replies creates table m, which counts the rows of table reply in a column. The functions are for
// triggers that maintain the counter.
const replies = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, replies int NOT NULL);
	CREATE TABLE reply (id int PRIMARY KEY, m_id int REFERENCES m, hidden boolean NOT NULL DEFAULT false);
	CREATE TABLE daily (day date PRIMARY KEY, n int NOT NULL);
	CREATE TABLE old (id int, at timestamptz, replies int);
	INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 h', 1 FROM generate_series(1, 40) i;
	INSERT INTO m VALUES (41, '2024-03-31 11:00+00', 1);
	INSERT INTO reply SELECT i + 100, i FROM generate_series(1, 41) i;
	CREATE TABLE n AS SELECT * FROM m WHERE at < '2024-03-24 12:00+00';
	CREATE FUNCTION fewer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
	BEGIN UPDATE m SET replies = replies - 1 WHERE id = OLD.m_id; RETURN NULL; END $$;
	CREATE FUNCTION fewer_each_day() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
	BEGIN UPDATE m SET replies = 0 WHERE at::date = NEW.day; RETURN NULL; END $$;`

// TestTriggerKeepsARow checks a trigger that keeps rows by returning NULL. The run counts these
// rows as refused, and no step writes anything for them. A run that takes no row ends "failed".
func TestTriggerKeepsARow(t *testing.T) {
	t.Parallel()
	const daily = `insert: {into: daily, key: {day: "t.at::date"}, add: {n: "count(*)"}}`
	for name, c := range map[string]struct {
		keeps, then string
		guarded     bool
	}{
		"before":          {"RETURN NULL", daily + ", delete", true},
		"after":           {"RETURN NULL", "delete, " + daily, true},
		"in shape RANGE":  {"RETURN NULL", daily + ", delete", false},
		"after an update": {"RETURN NULL", daily + `, update: {set: {replies: "7"}}, delete`, true},
		"beside related rows": {"RETURN NULL", `delete: {table: reply, as: r, where: "r.m_id = t.id"}, delete, ` +
			daily, true},
		"written instead": {"UPDATE m SET replies = -1 WHERE id = OLD.id; RETURN NULL", daily + ", delete", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keep := ""
			if c.guarded {
				keep = `keep: {none: "EXISTS (SELECT FROM old WHERE old.id = t.id)"}, `
			}
			in := kit.Install(t, strings.Replace(replies, "REFERENCES m", "", 1)+`
				CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
				BEGIN IF OLD.id IN (5, 27) THEN `+c.keeps+`;
				END IF;
				RETURN OLD;
				END $$;
				CREATE TRIGGER veto BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION veto()`,
				"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, "+keep+
					"triggers: [veto], then: ["+c.then+"]}}")
			in.SetBatch(10)
			for _, state := range []string{"done", "failed"} {
				if o := in.Run("p", noon); o.Refused != 2 || o.State != state {
					t.Errorf("the run ended %s with %d refused rows, want %s with 2: %+v", o.State, o.Refused, state, o)
				}
			}
			if diff := cmp.Diff([]int{5, 27, 41}, ids(t, in)); diff != "" {
				t.Errorf("rows left (-want +got):\n%s", diff)
			}
			left := pgtest.Column[int](t, in, "SELECT m_id FROM reply ORDER BY 1")
			if strings.Contains(c.then, "reply") && !cmp.Equal([]int{5, 27, 41}, left) {
				t.Errorf("replies to the rows %v are left, want 5, 27 and 41", left)
			}
			want := pgtest.Column[string](t, in, `SELECT at::date || ' ' || count(*) FROM n
				WHERE id NOT IN (5, 27) GROUP BY at::date ORDER BY 1`)
			if diff := cmp.Diff(want,
				pgtest.Column[string](t, in, "SELECT day || ' ' || n FROM daily ORDER BY 1")); diff != "" {
				t.Errorf("the roll-up (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTriggerWritesOwnRows checks a step that fires a trigger, which updates rows of the batch. The
// run still takes these rows. The other steps use the values that the rows had before, and write
// each row once.
func TestTriggerWritesOwnRows(t *testing.T) {
	t.Parallel()
	const daily = `insert: {into: daily, key: {day: "t.at::date"}, add: {n: "count(*)"}}`
	const archive = "archive: {into: old}"
	for name, c := range map[string]struct{ trigger, then string }{
		"delete of related rows": {"AFTER DELETE ON reply",
			daily + `, delete: {table: reply, as: r, where: "r.m_id = t.id"}, ` + archive + ", delete"},
		"delete that cascades": {
			"AFTER DELETE ON note",
			daily + `, delete: {table: reply, as: r, where: "r.m_id = t.id", cascades: [note]}, ` + archive +
				", delete",
		},
		"update of related rows": {
			"AFTER UPDATE ON reply",
			daily + `, update: {table: reply, as: r, where: "r.m_id = t.id",
				set: {hidden: "true", m_id: "NULL"}}, ` + archive + ", delete",
		},
		"insert": {"AFTER INSERT OR UPDATE ON daily", daily + `, ` + archive + `, delete: {cascades: [reply]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema, function := replies, "fewer"
			switch name {
			case "insert":
				function = "fewer_each_day"
				schema += `ALTER TABLE reply DROP CONSTRAINT reply_m_id_fkey,
					ADD FOREIGN KEY (m_id) REFERENCES m ON DELETE CASCADE;`
			case "delete that cascades":
				schema += `CREATE TABLE note (m_id int,
						reply_id int PRIMARY KEY REFERENCES reply ON DELETE CASCADE);
					INSERT INTO note SELECT m_id, id FROM reply;`
			}
			in := kit.Install(t, schema+"CREATE TRIGGER tell "+c.trigger+" FOR EACH ROW EXECUTE FUNCTION "+
				function+"()",
				"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, triggers: [tell], then: ["+
					c.then+"]}}")
			if name != "insert" { // The trigger of this case also writes rows of other batches.
				in.SetBatch(15)
			}
			for range 2 {
				in.Done("p", noon)
			}
			if diff := cmp.Diff([]int{41}, ids(t, in)); diff != "" {
				t.Errorf("rows left (-want +got):\n%s", diff)
			}
			const rows = "SELECT concat_ws(' ', id, at, replies) FROM "
			if diff := cmp.Diff(pgtest.Column[string](t, in, rows+"n ORDER BY id"),
				pgtest.Column[string](t, in, rows+"old ORDER BY id")); diff != "" {
				t.Errorf("the archive (-want +got):\n%s", diff)
			}
			want := pgtest.Column[string](t, in, `SELECT at::date || ' ' || count(*)
				FROM n GROUP BY at::date ORDER BY 1`)
			if diff := cmp.Diff(want,
				pgtest.Column[string](t, in, "SELECT day || ' ' || n FROM daily ORDER BY 1")); diff != "" {
				t.Errorf("the roll-up (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTriggersKeepTheirPlans checks that triggers run with plan_cache_mode = auto if one statement
// takes the rows. If their queries were planned again for each row, this would take as long as the
// deletes.
func TestTriggersKeepTheirPlans(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE seen (mode text);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i;
		CREATE FUNCTION sees() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN INSERT INTO public.seen VALUES (current_setting('plan_cache_mode')); RETURN NULL; END $$;
		CREATE TRIGGER sees AFTER DELETE ON m FOR EACH ROW EXECUTE FUNCTION sees();
		GRANT INSERT ON seen TO retention_worker`,
		"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, triggers: [sees], then: [delete]}}")
	in.Done("p", noon)
	if diff := cmp.Diff([]string{"auto", "auto", "auto"},
		pgtest.Column[string](t, in, "SELECT mode FROM seen")); diff != "" {
		t.Errorf("plan_cache_mode in a trigger (-want +got):\n%s", diff)
	}
}

func TestHostileNames(t *testing.T) {
	long := strings.Repeat("ü", 31) + "x" // 31 letters of 2 bytes and one of 1 byte: 63 bytes
	plain := func(name, table, columns, clock string) scenario {
		quoted := `"` + strings.ReplaceAll(table, `"`, `""`) + `"`
		yaml := strings.ReplaceAll(quoted, "'", "''")
		return scenario{
			name:   name,
			table:  table,
			schema: "CREATE TABLE " + quoted + " (" + columns + `, "at" timestamptz NOT NULL)`,
			data: "INSERT INTO " + quoted + ` SELECT i, :as_of - i * interval '1 day'
				FROM generate_series(1, 12) i`,
			rule: `{table: '@.` + yaml + `', due: {age: {column: at, older_than: 7 days}},
				keep: {some: '` + clock + `'}, then: [delete]}`,
			goes: "SELECT t.* FROM " + quoted + " t WHERE at < :as_of - interval '7 days' AND NOT (" +
				strings.ReplaceAll(clock, "''", "'") + ")",
		}
	}
	literal := func(name, value string) scenario {
		// value is an SQL literal. The YAML block style needs no escapes.
		return scenario{
			name:   name,
			schema: "CREATE TABLE m (id int PRIMARY KEY, v text)",
			data:   "INSERT INTO m VALUES (1, " + value + "), (2, 'x'), (3, NULL), (4, " + value + "), (5, '')",
			rule: "\n    table: \"@.m\"\n    where: |-\n      v = " + value +
				"\n    keep:\n      other: |-\n        v <> " + value + "\n    then: [delete]",
			goes: "SELECT * FROM m WHERE id IN (1, 4)",
		}
	}
	suite{scenarios: []scenario{
		plain("quotes and spaces", `a "b" c's`, `"it's" int PRIMARY KEY`, `"it''s" = 9`),
		plain("dots", `a.b`, `"c.d" int PRIMARY KEY`, `"c.d" = 9`),
		plain("unicode of 63 bytes", long, `"`+long+`" int PRIMARY KEY`, `t."`+long+`" = 9`),
		plain("keywords", `select`, `"user" int PRIMARY KEY`, `"user" = 9`),
		plain("capitals", `Note`, `"Id" int PRIMARY KEY`, `"Id" = 9`),
		plain("a table t", `t`, `id int PRIMARY KEY`, `t.id = 9`),
		plain("a table of ours", `boundary`, `key int PRIMARY KEY`, `key = 9`),
		plain("a table judged", `judged`, `ordinal int PRIMARY KEY`, `ordinal = 9`),
		plain("a column scanned", `locked`, `scanned int PRIMARY KEY`, `scanned = 9`),
		plain("a column position", `places_some`, `"position" int PRIMARY KEY`, `"position" = 9`),
		plain("template delimiters", `{{ .x }}`, `"{{ end }}" int PRIMARY KEY`, `"{{ end }}" = 9`),
		plain("dollars", `$$ $function$`, `"$$" int PRIMARY KEY`, `"$$" = 9`),
		plain("backslash and percent", `a\b%c`, `"%s\" int PRIMARY KEY`, `"%s\" = 9`),
		plain("a column t", `m`, `t int PRIMARY KEY`, `t.t = 9`),
		plain("a column keep", `m`, `keep int PRIMARY KEY`, `t.keep = 9`),
		plain("a column run", `m`, `run int PRIMARY KEY`, `t.run = 9`),
		plain("a column as_of", `m`, `as_of int PRIMARY KEY`, `t.as_of = 9`),
		literal("a quote", `'it''s'`),
		literal("dollar quotes", `'$$ $function$ $sql$ $function1$ $1'`),
		literal("dollar quoted", `$x$ '; DROP TABLE m; -- $x$`),
		literal("template", `'{{ .Schema }} {{- end -}}'`),
		literal("backslashes", `E'\\ \' \t'`),
		literal("plain backslash", `'\'`),
		literal("comment", `'-- not /* a comment'`),
		literal("unicode", `'naïve ☃ 𝄞'`),
		literal("goose", `'+goose StatementEnd'`),
		{
			name:   "ranks over hostile columns",
			schema: `CREATE TABLE m (id int PRIMARY KEY, "a ""b" text, "group" int)`,
			data:   `INSERT INTO m SELECT i, 'g' || i % 2, i FROM generate_series(1, 9) i`,
			rule: `{table: "@.m", due: {beyond: {first: 2, per: ['"a ""b"'], order: '"group" DESC'}},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE id < 6",
		},
		{
			name:   "ranks over columns of ours",
			schema: `CREATE TABLE m (ordinal int PRIMARY KEY, key text, surplus int, rel int, tid int, pass int)`,
			data:   `INSERT INTO m SELECT i, 'g' || i % 2, i FROM generate_series(1, 9) i`,
			rule: `{table: "@.m", where: "pass IS NULL",
				due: {beyond: {first: 2, per: [key], order: 'surplus DESC'}},
				keep: {x: {first: 1, per: [rel, tid], order: ordinal}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE ordinal BETWEEN 2 AND 5",
		},
		{
			name:   "related with hostile names",
			schema: `CREATE TABLE m (id int PRIMARY KEY, "t" int, "b ""c" text[]); CREATE TABLE "o o" ("x'y" text)`,
			data: `INSERT INTO m SELECT i, i, ARRAY['v' || i, NULL, 'a,"b'] FROM generate_series(1, 4) i;
				INSERT INTO "o o" SELECT 'v' || i FROM generate_series(1, 6) i`,
			rule: `{table: "@.m", where: "id > 2",
				then: [delete, delete: {table: '@."o o"', as: o,
				where: 'o."x''y" = ANY (t."b ""c") AND t.t > 0'}]}`,
			goes:    "SELECT * FROM m WHERE id > 2",
			leaves:  map[string]string{"o o": `SELECT * FROM "o o" WHERE "x'y" NOT IN ('v3', 'v4')`},
			related: map[string]int64{`@.o o`: 2},
		},
	}}.run(t)
}

// TestCitext checks a type whose operators are not in pg_catalog. The search path decides which
// operator "=" is. If the schema of the type is not in search_path, groups of that type are
// refused: they would be compared as text.
func TestCitext(t *testing.T) {
	citext(t, "public", "[public]")
	t.Run("elsewhere", func(t *testing.T) { citext(t, "ext", "[public, ext]") })
}

func citext(t *testing.T, in, path string) {
	schema := "CREATE TABLE m (id int PRIMARY KEY, email " + in + ".citext, at timestamptz NOT NULL)"
	const data = `INSERT INTO m SELECT i, CASE i % 3 WHEN 0 THEN 'vip@X.org' WHEN 1 THEN 'VIP@x.org'
		ELSE 'other' END, :as_of - i * interval '1 day' FROM generate_series(1, 30) i`
	suite{before: "CREATE SCHEMA IF NOT EXISTS " + in + "; GRANT USAGE ON SCHEMA " +
		in + " TO public; CREATE EXTENSION citext SCHEMA " + in, path: path, scenarios: []scenario{
		{
			name:   "guard",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {vip: "email = 'VIP@x.org'"},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE id > 7 AND lower(email::text) <> 'vip@x.org'",
			kept: map[string]int64{"vip": 15},
		},
		{
			name:   "where",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "email = 'VIP@x.org'", due: {age: {column: at, older_than: 7 days}},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE id > 7 AND lower(email::text) = 'vip@x.org'",
		},
		{
			name:   "groups",
			schema: schema,
			data:   data,
			rule:   `{table: "@.m", due: {beyond: {first: 3, per: [email], order: id}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE id NOT IN (1, 3, 4, 2, 5, 8)",
		},
		{
			name:   "keys",
			schema: "CREATE TABLE m (email " + in + ".citext PRIMARY KEY, at timestamptz NOT NULL)",
			data: `INSERT INTO m SELECT CASE WHEN i % 2 = 0 THEN 'a' ELSE 'A' END || i, :as_of - interval '8 days'
				FROM generate_series(1, 30) i`,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m",
		},
	}}.run(t)
}

// TestRowSecurityOnAGuardsTable checks a guard that reads a table with row security. The guard
// would see no rows and keep nothing, so the run fails.
func TestRowSecurityOnAGuardsTable(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-01-01 00:00+00' FROM generate_series(1, 9) i;
		CREATE TABLE open_case (m_id int);
		INSERT INTO open_case VALUES (3)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			keep: {open: "EXISTS (SELECT FROM open_case c WHERE c.m_id = t.id)"}, then: [delete]}}`)
	in.Exec(t, "ALTER TABLE open_case ENABLE ROW LEVEL SECURITY")
	for range 2 {
		if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "42501" || o.Err == nil || o.Taken != 0 {
			t.Errorf("want a run with state failed, SQLState 42501, taken 0; got %+v", o)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != 9 {
		t.Errorf("%d rows are left of 9, want 9", n)
	}
	in.Exec(t, "ALTER TABLE open_case DISABLE ROW LEVEL SECURITY")
	if o := in.Done("p", noon); o.Taken != 8 {
		t.Errorf("want a run with taken 8; got %+v", o)
	}
}

// TestInstallValidatesSQL checks that the migration fails if PostgreSQL refuses any statement of
// the policy. Then nothing of the policy is installed.
func TestInstallValidatesSQL(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (id int PRIMARY KEY, name text, at timestamptz NOT NULL);
		CREATE TABLE r (id int PRIMARY KEY, m_id int, name text);
		CREATE TABLE log (id int, name text);
		CREATE TABLE hidden (m_id int);
		ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
		INSERT INTO m SELECT i, 'n', '2024-01-01 00:00+00' FROM generate_series(1, 9) i;
		INSERT INTO r VALUES (1, 1, 'n')`
	const age = `due: {age: {column: at, older_than: 7 days}}`
	for name, rule := range map[string]string{
		"where": `{table: m, where: "id = name", ` + age + `, then: [delete]}`,
		"guard": `{table: m, ` + age + `, keep: {g: "name > 3"}, then: [delete]}`,
		"a hidden guard": `{table: m, ` + age + `, keep: {g: "EXISTS (SELECT FROM hidden h WHERE h.m_id = t.id)"},
			then: [delete]}`,
		"join": `{table: m, join: {x: "SELECT no_such_function(t.id) AS y"}, where: "x.y", then: [delete]}`,
		"rank": `{table: m, due: {beyond: {first: 3, order: "id || at"}}, then: [delete]}`,
		"set":  `{table: m, where: "name IS NOT NULL", then: [{update: {set: {name: "id + name"}}}]}`,
		"related": `{table: m, ` + age + `, then: [{delete: {table: r, as: r, where: "r.name = t.id"}},
			delete]}`,
		"insert": `{table: m, ` + age + `, then: [{insert: {into: log, set: {id: name}}}, delete]}`,
		"payload": `{table: m, ` + age + `,
			then: [{emit: {event: gone, payload: {x: "no_such_function(id)"}}}, delete]}`,
		"statement": `{table: m, ` + age + `,
			then: [{sql: "UPDATE public.r SET name = b.id FROM batch b WHERE b.id = r.name"}, delete]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "policies: {p: " + rule + "}"
			in := kit.Prepare(t, schema, yaml)
			_, err := in.TryMigrate(t, yaml)
			if steps := []string{"insert", "payload", "statement", "a hidden guard"}; err == nil ||
				!strings.Contains(err.Error(), "[42") ||
				slices.Contains(steps, name) && !strings.Contains(err.Error(), `policy "p" cannot run: `) {
				t.Fatalf("the migration ended with %v, want an error of class 42", err)
			}
			if n := pgtest.Value[int](t, in, `SELECT count(*) FROM pg_proc
				WHERE proname LIKE 'p\_%' AND pronamespace = 'retention'::regnamespace`); n != 0 {
				t.Errorf("%d functions are installed, want 0", n)
			}
			if n := pgtest.Value[int](t, in, "SELECT count(*) FROM r WHERE name = 'n'"); n != 1 {
				t.Error("the migration changed a row")
			}
		})
	}
}
