package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// restored is the result of one call of restore().
type restored struct{ Restored, Refused int64 }

func restore(t *testing.T, in *kit.Installed, policy string, run int64) restored {
	t.Helper()
	return restored{
		pgtest.Value[int64](t, in, `WITH r AS MATERIALIZED (SELECT * FROM retention.restore($1, $2)) SELECT restored
			FROM r`, policy, run),
		pgtest.Value[int64](t, in, "SELECT refused FROM retention.restored ORDER BY id DESC LIMIT 1"),
	}
}

// everyType creates table m with a column of each type that a copy could change.
const everyType = `
	CREATE TYPE mood AS ENUM ('sad', 'fine');
	CREATE DOMAIN percent AS int CHECK (VALUE BETWEEN 0 AND 100);
	CREATE TABLE m (id bigint GENERATED ALWAYS AS IDENTITY, day date NOT NULL, "Group" text NOT NULL DEFAULT 'x''y',
		at timestamptz NOT NULL,
		n numeric(12, 3), f float8, b bytea, tags text[], grid int[], doc jsonb, span tstzrange, took interval,
			m mood, p percent, u uuid, c char(4), flag boolean,
		wall timestamp, len int GENERATED ALWAYS AS (length("Group")) STORED, PRIMARY KEY (day, id))`

const everyRow = `INSERT INTO m (day, "Group", at, n, f, b, tags, grid, doc, span, took, m, p, u, c, flag, wall)
	SELECT '2020-01-01'::date + i, 'g' || i, :as_of::timestamptz - i * interval '1 day', i / 7.0, CASE i % 4
	WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE i / 3.0::float8 END,
	       decode(lpad(to_hex(i), 4, '0'), 'hex'), CASE WHEN i % 3 > 0 THEN ARRAY['a,"' || i, NULL, ''] END,
	ARRAY[[i, 2], [3, NULL]],
	       CASE WHEN i % 2 = 0 THEN jsonb_build_object('k', i, 'null', NULL) END,
	tstzrange(:as_of::timestamptz, NULL), i * interval '1 mon 2 days 00:00:01.5', 'fine', i, md5(i::text)::uuid,
	'a', i % 2 = 0,
	       '2024-03-31 02:30:00.123456'::timestamp + i * interval '1 hour'
	FROM generate_series(1, 20) i`

// TestRestoreEveryType checks that restore() brings back all rows of a run with their exact values,
// for each kind of archive.
func TestRestoreEveryType(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, archive string }{
		"created": {"", "{into: old, create: true, set: {run_id: run.id}}"},
		"document": {"CREATE TABLE old (what text, body jsonb NOT NULL, run bigint)",
			`{into: old, document: body, set: {what: "'m'", run: run.id}}`},
		"of text": {
			`CREATE TABLE old (run bigint, id bigint, day date, "Group" varchar, at timestamptz, n numeric,
				f float8, b bytea, tags text[], grid int[], doc jsonb, span tstzrange, took interval, m text, p int,
				u text, c text, flag boolean, wall timestamp, len int)`,
			"{into: old, set: {run: run.id}}",
		},
		"under other names": {
			`CREATE TABLE old (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint, m_id bigint, at date,
					"The Group" text, day timestamptz, amount numeric, f float8, b bytea, tags text[], cells int[],
					doc jsonb, span tstzrange, took interval, u mood, p percent, m uuid, "C" text, flag boolean,
					wall timestamp, size int) PARTITION BY RANGE (id);
				CREATE TABLE old_1 PARTITION OF old FOR VALUES FROM (1) TO (7);
				CREATE TABLE old_2 PARTITION OF old DEFAULT`,
			`{into: old, columns: {m_id: id, day: at, at: day, "\"The Group\"": "\"Group\"", amount: n,
				cells: grid, m: u, u: m, "\"C\"": c, size: len}, set: {run: run.id}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, everyType+";"+c.before, fmt.Sprintf(`version: 1
install: {scheduler: none, time_zone: Europe/Berlin}
policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [{archive: %s}, delete]}}`, c.archive))
			in.Exec(t, sqlAt(everyRow))
			before := in.Rows("SELECT * FROM m")
			in.SetBatch(4)
			run := in.Done("p", noon)
			if run.Taken != 14 || len(in.Rows("SELECT FROM m")) != 6 {
				t.Fatalf("the run took %d rows, want 14 of 20", run.Taken)
			}
			if got, want := restore(t, in, "p", run.ID), (restored{14, 0}); got != want {
				t.Errorf("answered %v, want %v", got, want)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT * FROM m")); diff != "" {
				t.Errorf("the table (-before +after):\n%s", diff)
			}
			if left := in.Rows("SELECT FROM old"); len(left) != 0 {
				t.Errorf("%d rows are left in the archive, want 0", len(left))
			}
			// The next run keeps the restored rows while their holds are in force.
			if again := in.Done("p", noon); again.Taken != 0 || again.Kept["hold"] != 14 {
				t.Errorf("want a run with taken 0, kept by hold 14; got %+v", again)
			}
			in.Exec(t, "UPDATE retention.hold SET until = '2024-03-31 11:59:59+00'")
			if again := in.Done("p", noon); again.Taken != 14 {
				t.Errorf("a run after the holds: want a run with taken 14; got %+v", again)
			}
		})
	}
}

const family = `
	CREATE TABLE blob (id int PRIMARY KEY, body text);
	CREATE TABLE m (id int PRIMARY KEY, slug text UNIQUE, parent int REFERENCES m, blob_id int REFERENCES blob,
		at timestamptz NOT NULL);
	CREATE TABLE child (m_id int REFERENCES m, n int, note text, PRIMARY KEY (m_id, n));
	CREATE TABLE attic (what text, body jsonb, run bigint);
	CREATE TABLE old_blob (LIKE blob, run bigint)`

const familyRule = `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [
	{archive: {into: attic, document: body, set: {what: "'m'", run: run.id}}},
	{archive: {table: child, as: c, where: "c.m_id = t.id", into: attic, document: body,
	set: {what: "'child'", run: run.id}}},
	{delete: {table: child, as: c, where: "c.m_id = t.id"}},
	delete,
	{archive: {table: blob, as: b,
	where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM m x WHERE x.blob_id = b.id)", into: old_blob,
	set: {run: run.id}}},
	{delete: {table: blob, as: b,
	where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM m x WHERE x.blob_id = b.id)"}}]}}`

// familyData fills three tables with foreign keys between them. Table m also refers to itself:
// older rows refer to younger ones, which are taken later.
const familyData = `INSERT INTO blob SELECT i, 'b' || i FROM generate_series(1, 10) i;
	INSERT INTO m SELECT i, 's' || i, CASE WHEN i % 5 = 0 THEN i - 4 END, (i + 1) / 2,
		:as_of::timestamptz - (9 - i % 5) * interval '1 day' FROM generate_series(1, 20) i;
	INSERT INTO child SELECT i, n, 'c' || i || n FROM generate_series(1, 20) i, generate_series(1, 3) n`

// allTables returns the rows of the three tables of family.
func allTables(in *kit.Installed) []string {
	var all []string
	for _, table := range []string{"blob", "m", "child"} {
		all = append(all, in.Rows("SELECT '"+table+"', * FROM "+table)...)
	}
	return all
}

// TestRestoreRelated checks that related rows are restored in an order that satisfies all foreign
// keys.
func TestRestoreRelated(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, family, familyRule)
	for _, rows := range []int{1, 4, 1000} {
		in.Exec(t, "TRUNCATE m, child, blob, attic, old_blob; DELETE FROM retention.hold; DELETE FROM retention.run")
		in.Exec(t, sqlAt(familyData))
		before := allTables(in)
		in.SetBatch(rows)
		run := in.Done("p", noon)
		deleted := len(before) - len(allTables(in))
		if run.Taken != 8 || deleted != 8*4+2 {
			t.Fatalf("the run took %d rows and deleted %d in all, want 8 and 34", run.Taken, deleted)
		}
		if got, want := restore(t, in, "p", run.ID), (restored{int64(deleted), 0}); got != want {
			t.Errorf("batches of %d: answered %v, want %v", rows, got, want)
		}
		if diff := cmp.Diff(before, allTables(in)); diff != "" {
			t.Errorf("batches of %d (-before +after):\n%s", rows, diff)
		}
		if n := pgtest.Value[int](t, in, `SELECT count(DISTINCT (table_name, match))::int FROM retention.hold
			WHERE released_at IS NULL AND until BETWEEN now() + interval '29 days' AND now() + interval '31 days'
			AND reason = 'restored run ' || $1`, fmt.Sprint(run.ID)); n != deleted {
			t.Errorf("batches of %d: %d rows are held, want %d", rows, n, deleted)
		}
		if n := len(in.Rows("SELECT FROM attic")) + len(in.Rows("SELECT FROM old_blob")); n != 0 {
			t.Errorf("batches of %d: %d rows are left in the archives, want 0", rows, n)
		}
		if got := restore(t, in, "p", run.ID); got != (restored{}) {
			t.Errorf("batches of %d: a second restore returned %v, want no rows", rows, got)
		}
	}
}

// TestRestoreRefuses checks that restore() refuses rows whose key or unique value exists again, and
// rows whose parent is missing. It restores the others. A later call restores the refused rows once
// nothing prevents it.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	for name, unique := range map[string]string{
		"at once":   "",
		"at COMMIT": "; ALTER TABLE m DROP CONSTRAINT m_slug_key, ADD UNIQUE (slug) DEFERRABLE INITIALLY DEFERRED",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, family+unique+`; ALTER TABLE child ADD CHECK (note <> 'forbidden')`, familyRule)
			in.Exec(t, `INSERT INTO blob VALUES (99, 'stays');
				INSERT INTO m SELECT i, 's' || i, CASE WHEN i BETWEEN 80 AND 84 THEN i + 1 END, 99, '2020-01-01'
					FROM generate_series(1, 100) i;
				INSERT INTO child SELECT i, 1, 'c' FROM generate_series(1, 100) i;
				INSERT INTO m VALUES (500, 'keeps the blob', NULL, 99, '2024-03-31'),
					(600, 'lost', NULL, NULL, '2024-03-31')`)
			before := allTables(in)
			run := in.Done("p", noon)
			if run.Taken != 100 {
				t.Fatalf("the run took %d, want 100", run.Taken)
			}
			in.Exec(t, `INSERT INTO m VALUES (7, 'newer', NULL, NULL, '2024-03-30'),
					(900, 's8', NULL, NULL, '2024-03-30');
				UPDATE attic SET body = body || '{"parent": 12345}'
					WHERE what = 'm' AND body ->> 'id' IN ('50', '51', '77');
				UPDATE attic SET body = body || '{"note": "forbidden"}'
					WHERE what = 'child' AND body ->> 'm_id' = '33';
				CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
				CREATE TRIGGER no BEFORE INSERT ON m FOR EACH ROW WHEN (NEW.id = 60) EXECUTE FUNCTION no()`)
			// Refused are m 7, 8, 50, 51, 60 and 77. The children of 8, 50, 51, 60 and 77 have no
			// parent, and the child of 33 violates a check. The child of the old row 7 is restored
			// below the newer row 7.
			if got, want := restore(t, in, "p", run.ID), (restored{100 - 6 + 100 - 6, 12}); got != want {
				t.Errorf("answered %v, want %v", got, want)
			}
			if got := in.Rows(`SELECT id, slug FROM m
				WHERE id IN (7, 8, 50, 51, 60, 77, 900)`); cmp.Diff([]string{
				"(7,newer)", "(900,s8)",
			}, got) != "" {
				t.Errorf("rows that were refused or are newer are %v, want (7,newer) and (900,s8)", got)
			}
			in.Exec(t, `DELETE FROM child WHERE m_id = 7;
				DELETE FROM m WHERE id IN (7, 900);
				DROP TRIGGER no ON m;
				UPDATE attic SET body = body || '{"parent": null}' WHERE what = 'm' AND body ->> 'parent' = '12345';
				UPDATE attic SET body = body || '{"note": "c"}' WHERE what = 'child';
				INSERT INTO attic SELECT 'child', '{"m_id": 7, "n": 1, "note": "c"}', `+fmt.Sprint(run.ID))
			if got, want := restore(t, in, "p", run.ID), (restored{13, 0}); got != want {
				t.Errorf("the second call answered %v, want %v", got, want)
			}
			if diff := cmp.Diff(before, allTables(in)); diff != "" {
				t.Errorf("in the end (-before +after):\n%s", diff)
			}
		})
	}
}

// TestRestoreFromProtectedArchive checks that restore() deletes no rows from a protected archive.
// In another archive, a held row stays.
func TestRestoreFromProtectedArchive(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz);
		CREATE TABLE a (id int PRIMARY KEY, at timestamptz, run bigint);
		CREATE TABLE b (id int PRIMARY KEY, at timestamptz, run bigint)`
	in := kit.Install(t, schema,
		`protect: [a]
policies:
  p:
    table: m
    where: "id < 10"
    due: {age: {column: at, older_than: 7 days}}
    then: [{archive: {into: a, set: {run: run.id}}}, delete]
  q:
    table: m
    where: "id >= 10"
    due: {age: {column: at, older_than: 7 days}}
    then: [{archive: {into: b, set: {run: run.id}}}, delete]`)
	in.Exec(t, "INSERT INTO m SELECT i, '2020-01-01' FROM generate_series(1, 20) i")
	p, q := in.Done("p", noon), in.Done("q", noon)
	in.Exec(t, "SELECT retention.place_hold('b', '15', 'evidence')")
	if got, want := restore(t, in, "p", p.ID), (restored{9, 0}); got != want {
		t.Errorf("p: %v, want %v", got, want)
	}
	if got, want := restore(t, in, "p", p.ID), (restored{0, 9}); got != want {
		t.Errorf("p again: %v, want %v", got, want)
	}
	if got, want := restore(t, in, "q", q.ID), (restored{10, 1}); got != want {
		t.Errorf("q: %v, want %v", got, want)
	}
	if got := in.Rows(`SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT count(*) FROM m),
		(SELECT id FROM b)`); got[0] != "(9,1,19,15)" {
		t.Errorf("a, b, m: %s, want (9,1,19,15)", got[0])
	}
}

// TestRestoreAfterARestoreOfThousands checks that many holds do not slow down a restore or a claim.
// Restores leave holds behind, and some of them have expired. If each row were compared with each
// hold, thousands of rows would take minutes.
func TestRestoreAfterARestoreOfThousands(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz);
		CREATE TABLE a (id int PRIMARY KEY, at timestamptz, run bigint);
		CREATE TABLE seen (k int PRIMARY KEY, till timestamptz)`,
		`policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}},
        then: [{archive: {into: a, set: {run: run.id}}}, delete]}
  c: {table: seen, due: {expires: {column: till}}, then: [delete], claim: {key: k, ttl: 1 day}}`)
	in.Exec(t, `INSERT INTO m SELECT i, '2020-01-01' FROM generate_series(1, 3000) i;
		INSERT INTO seen SELECT i, '2020-01-01' FROM generate_series(1, 3000) i;
		SET statement_timeout = '100s'`)
	for range 2 {
		run := in.Done("p", noon)
		if got, want := restore(t, in, "p", run.ID), (restored{3000, 0}); got != want {
			t.Errorf("restored: %v, want %v", got, want)
		}
		in.Exec(t, "UPDATE retention.hold SET until = '2020-01-01'")
	}
	if n := pgtest.Value[int](t, in, `SELECT count(*)::int FROM retention.c_claim(ARRAY(SELECT k
		FROM seen))`); n != 3000 {
		t.Errorf("%d keys claimed, want 3000", n)
	}
}

const marked = `CREATE TABLE m (id int, part text, state text NOT NULL DEFAULT 'open', title text,
		marks int NOT NULL DEFAULT 0, at timestamptz NOT NULL, PRIMARY KEY (part, id));
	CREATE UNIQUE INDEX ON m (title) WHERE state = 'open'`

const markedRule = `policies: {p: {table: m, where: "state = 'open'", due: {age: {column: at, older_than: 7 days}},
	then: [
	{update: {set: {state: "'hidden'", marks: "marks + 1"}, undo: {state: "'open'", marks: "marks - 1"}}},
	{update: {where: "id % 2 = 0", set: {title: "'[' || title || ']'"},
	undo: {title: "substr(title, 2, length(title) - 2)"}}}]}}`

// TestRestoreMarked checks restore() after an update with undo. Rows get their old values, unless
// somebody changed them after the run.
func TestRestoreMarked(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, marked, markedRule)
	for _, rows := range []int{1, 7, 1000} {
		in.Exec(t, `TRUNCATE m;
			DELETE FROM retention.hold;
			DELETE FROM retention.run;
			INSERT INTO m SELECT i, 'p' || i % 3, 'open', 't' || i, i,
				'2024-03-31 12:00+00'::timestamptz - i * interval '1 day' FROM generate_series(1, 30) i`)
		before := in.Rows("SELECT * FROM m")
		in.SetBatch(rows)
		run := in.Done("p", noon)
		if run.Taken != 23 || len(in.Rows("SELECT FROM m WHERE state = 'hidden' AND marks = id + 1")) != 23 ||
			len(in.Rows("SELECT FROM m WHERE title LIKE '[%'")) != 12 {
			t.Fatalf("want a run with taken 23; got %+v", run)
		}
		if got, want := restore(t, in, "p", run.ID), (restored{35, 0}); got != want {
			t.Errorf("batches of %d: answered %v, want %v", rows, got, want)
		}
		if diff := cmp.Diff(before, in.Rows("SELECT * FROM m")); diff != "" {
			t.Errorf("batches of %d (-before +after):\n%s", rows, diff)
		}
		if got := restore(t, in, "p", run.ID); got != (restored{}) {
			t.Errorf("batches of %d: a second restore returned %v, want no rows", rows, got)
		}
		if again := in.Done("p", noon); again.Taken != 0 || again.Kept["hold"] != 23 {
			t.Errorf("want a run with taken 0, kept by hold 23; got %+v", again)
		}
		// Row 9 and the title of row 10 are changed, row 11 is deleted, and row 99 has the title of
		// row 13.
		in.Exec(t, "DELETE FROM retention.hold")
		run = in.Done("p", noon)
		in.Exec(t, `UPDATE m SET marks = 100 WHERE id = 9;
			UPDATE m SET title = 'mine' WHERE id = 10;
			DELETE FROM m WHERE id = 11;
			INSERT INTO m VALUES (99, 'p0', 'open', 't13', 0, '2024-03-31')`)
		// Row 10 keeps its new title and gets its old state. Rows 9, 11 and 13 are refused.
		if got, want := restore(t, in, "p", run.ID), (restored{20 + 11, 4}); got != want {
			t.Errorf("batches of %d: answered %v, want %v", rows, got, want)
		}
		if got := in.Rows(`SELECT id, state, title, marks FROM m
			WHERE state = 'hidden' OR id IN (10, 12,
			99)`); cmp.Diff([]string{
			"(10,open,mine,10)", "(12,open,t12,12)", "(13,hidden,t13,14)", "(9,hidden,t9,100)",
			"(99,open,t13,0)",
		}, got) != "" {
			t.Errorf("batches of %d: rows after the restore are %v", rows, got)
		}
		if n := pgtest.Value[int](t, in, "SELECT count(*)::int FROM retention.undo"); n != 4 {
			t.Errorf("%d values are kept, want those of the 4 that were refused", n)
		}
		in.Exec(t, "DELETE FROM retention.undo")
	}
}

// TestRestoreErrors checks calls with invalid arguments, policies that cannot be restored, and
// roles that may not call restore().
func TestRestoreErrors(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz, kind text);
		CREATE TABLE loose (id int, at timestamptz, kind text, run bigint);
		CREATE TABLE attic (body jsonb, kind text, run bigint)`
	archive := func(a string) string {
		return `{table: m, where: "false", due: {age: {column: at, older_than: 7 days}}, then: [` + a + `, delete]}`
	}
	in := kit.Install(t, schema, `policies:
  plain: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  unmarked: `+archive(`{archive: {into: attic, document: body, set: {kind: "'m'"}}}`)+"\n  changed: "+
		archive(`{archive: {into: loose, set: {run: run.id, kind: "'was ' || kind"}}}`)+"\n  twice: "+
		archive(`{archive: {into: attic, document: body, set: {run: run.id}}},
			{archive: {table: m, as: x, where: "x.id = t.id", into: attic, document: body, set: {run: run.id}}}`)+
		"\n  good: "+archive(`{archive: {into: loose, set: {run: run.id}}}`)+"\n")
	for _, c := range []struct{ call, state string }{
		{"'plain', %d", "0A000"}, {"'unmarked', %d", "0A000"}, {"'changed', %d", "0A000"}, {"'twice', %d", "0A000"},
		{"'nobody', %d", "P0002"}, {"'good', 999999", "P0002"}, {"'good', %d, now() - interval '1 day'", "22023"},
		{"'good', NULL", "P0002"}, {"NULL, %d", "P0002"},
		{"'good', %d", ""}, {"'good', %d, NULL", ""}, {"'good', %d, now() + interval '1 day'", ""},
	} {
		run := in.Done("good", noon)
		other := in.Done("plain", noon)
		call := "SELECT retention.restore(" + c.call + ")"
		if c.call != "'good', 999999" && c.call != "'good', NULL" {
			call = fmt.Sprintf(call, run.ID)
		}
		_, err := in.Conn(t).Exec(t.Context(), call)
		if got := sqlState(err); got != c.state {
			t.Errorf("%s: %q, want %q", call, got, c.state)
		}
		_, err = in.Conn(t).Exec(t.Context(), fmt.Sprintf("SELECT retention.restore('good', %d)", other.ID))
		if sqlState(err) != "P0002" {
			t.Errorf("restore of another policy's run: got %v, want P0002", err)
		}
	}
	for role, want := range map[string]string{
		"retention_operator": "",
		"retention_runner":   "42501",
		"retention_viewer":   "42501",
	} {
		run := in.Done("good", noon)
		conn := in.Conn(t)
		pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION "+role)
		if _, err := conn.Exec(t.Context(),
			fmt.Sprintf("SELECT retention.restore('good', %d)", run.ID)); sqlState(err) != want {
			t.Errorf("%s: %v, want %q", role, err, want)
		}
		if _, err := conn.Exec(t.Context(), `SELECT retention._execute_as_worker('SELECT NULL', NULL,
			'good')`); sqlState(err) != "42501" {
			t.Errorf("%s calls an internal function of restore: got %v, want 42501", role, err)
		}
	}
	// The table restored says who restored what. The status of the policy is unchanged.
	if got := in.Rows("SELECT DISTINCT policy, role, restored, refused FROM retention.restored"); len(got) < 2 {
		t.Errorf("table restored has %v, want at least 2 rows", got)
	}
	if got := in.Rows("SELECT last_state FROM retention.status WHERE policy = 'good'"); got[0] != "(done)" {
		t.Errorf("the status of the policy is %v, want done", got)
	}
}

// sqlAt replaces :as_of by noon.
func sqlAt(text string) string { return strings.ReplaceAll(text, ":as_of", "'"+noon+"'") }

// TestRestoreUnderAnotherKey checks a trigger that gives each inserted row a new key. restore()
// refuses these rows: a second call could not see that they were restored, and would insert them
// again.
func TestRestoreUnderAnotherKey(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE SEQUENCE s START 1000;
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE FUNCTION f() RETURNS trigger
			LANGUAGE plpgsql SECURITY DEFINER AS
			$$ BEGIN IF NEW.id > 1 THEN NEW.id := nextval('public.s'); END IF; RETURN NEW; END $$;
		CREATE TRIGGER tr BEFORE INSERT ON m FOR EACH ROW EXECUTE FUNCTION f();
		CREATE TABLE old (id bigint, at timestamptz, run_id bigint)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			then: [{archive: {into: old, set: {run_id: run.id}}}, delete]}}`)
	in.Exec(t, `ALTER TABLE m DISABLE TRIGGER tr;
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 4) i;
		ALTER TABLE m ENABLE TRIGGER tr`)
	run := in.Done("p", noon)
	if got, want := restore(t, in, "p", run.ID), (restored{1, 3}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	const all = "SELECT string_agg(id::text, ',' ORDER BY id) FROM "
	restoredRows, archived := pgtest.Value[string](t, in, all+"m"), pgtest.Value[string](t, in, all+"old")
	if restoredRows != "1" || archived != "2,3,4" {
		t.Errorf("rows %s are restored and %s in the archive, want 1 and 2,3,4", restoredRows, archived)
	}
}

// TestRestoreByADeferrableKey checks a primary key that is checked at COMMIT. Rows are restored,
// except the one whose key exists again.
func TestRestoreByADeferrableKey(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id bigint PRIMARY KEY DEFERRABLE INITIALLY DEFERRED,
			at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 4) i;
		CREATE TABLE old (id bigint, at timestamptz, run_id bigint)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			then: [{archive: {into: old, set: {run_id: run.id}}}, delete]}}`)
	run := in.Done("p", noon)
	in.Exec(t, "INSERT INTO m VALUES (2, '2024-06-01')")
	if got, want := restore(t, in, "p", run.ID), (restored{3, 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := in.Rows("SELECT id, at::date FROM m"); cmp.Diff([]string{
		"(1,2024-01-01)", "(2,2024-06-01)", "(3,2024-01-01)", "(4,2024-01-01)",
	}, got) != "" {
		t.Errorf("rows after the restore are %v", got)
	}
}

// TestRestoreWithNamesOfVariables checks an archive whose columns have the names of variables and
// columns of restore().
func TestRestoreWithNamesOfVariables(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE old (id int, at timestamptz, p_run bigint, v_as_of timestamptz, restored int)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			then: [{archive: {into: old, set: {p_run: run.id, v_as_of: "NULL", restored: "1"}}}, delete]}}`)
	var runs []int64
	for _, ids := range []string{"(1), (2)", "(11), (12)"} {
		in.Exec(t, "INSERT INTO m SELECT id, '2024-01-01' FROM (VALUES "+ids+") v (id)")
		runs = append(runs, in.Done("p", noon).ID)
	}
	if got, want := restore(t, in, "p", runs[0]), (restored{2, 0}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if restoredRows := pgtest.Value[string](t, in, `SELECT string_agg(id::text, ',' ORDER BY id)
		FROM m`); restoredRows != "1,2" {
		t.Errorf("%s came back, want 1,2", restoredRows)
	}
}
