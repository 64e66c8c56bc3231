package behaviour

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestBlastRadiusMatchesRun checks foreign keys with the actions CASCADE, SET NULL and SET DEFAULT,
// between partitioned tables, and on tables that others inherit from. Each scenario compares the
// counts of the preview with the rows that the run changed in every table. The preview counts a row
// once, even if several foreign keys lead to it.
func TestBlastRadiusMatchesRun(t *testing.T) {
	const diamond = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE l (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		CREATE TABLE r (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE,
			other int REFERENCES m ON DELETE SET NULL);
		CREATE TABLE d (id int PRIMARY KEY, l_id int REFERENCES l ON DELETE CASCADE,
			r_id int REFERENCES r ON DELETE CASCADE);
		CREATE TABLE e (a int PRIMARY KEY, b int DEFAULT 1, d_id int DEFAULT 1 REFERENCES d ON DELETE SET DEFAULT)`
	const diamondData = `INSERT INTO m SELECT i, :as_of - i * interval '1 day' FROM generate_series(1, 20) i;
		INSERT INTO l SELECT i, i / 2 + 1 FROM generate_series(1, 30) i;
		INSERT INTO r SELECT i, i / 3 + 1, i / 2 + 1 FROM generate_series(1, 30) i;
		INSERT INTO d SELECT i, i / 2 + 1, i / 3 + 1 FROM generate_series(1, 50) i;
		INSERT INTO e SELECT i, i, i / 2 + 1 FROM generate_series(1, 60) i`
	const parts = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL) PARTITION BY RANGE (id);
		CREATE TABLE m1 PARTITION OF m FOR VALUES FROM (0) TO (10);
		CREATE TABLE m2 PARTITION OF m FOR VALUES FROM (10) TO (99);
		CREATE TABLE c (id int, k int, m_id int REFERENCES m ON DELETE CASCADE, PRIMARY KEY (id, k))
			PARTITION BY LIST (k);
		CREATE TABLE c1 PARTITION OF c FOR VALUES IN (0); CREATE TABLE c2 PARTITION OF c FOR VALUES IN (1);
		CREATE TABLE g (id int PRIMARY KEY, c_id int, k int, FOREIGN KEY (c_id, k) REFERENCES c ON DELETE SET NULL);
		CREATE TABLE one (id int PRIMARY KEY REFERENCES m1 ON DELETE CASCADE)`
	const partsData = `INSERT INTO m SELECT i, :as_of - i * interval '1 day' FROM generate_series(1, 20) i;
		INSERT INTO c SELECT i, i % 2, i / 2 + 1 FROM generate_series(1, 30) i;
		INSERT INTO g SELECT i, i, i % 2 FROM generate_series(1, 30) i;
		INSERT INTO one SELECT i FROM generate_series(1, 9) i`
	const inheritance = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); 
		CREATE TABLE c (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		CREATE TABLE c_child () INHERITS (c)`
	const inheritanceData = `INSERT INTO m SELECT i, :as_of - i * interval '1 day' FROM generate_series(1, 10) i;
		INSERT INTO c SELECT i, i FROM generate_series(1, 10) i;
		INSERT INTO c_child SELECT i, i - 10 FROM generate_series(11, 20) i`
	age := func(then string) string {
		return `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [` + then + `]}`
	}
	suite{scenarios: []scenario{
		{name: "two foreign keys lead to one row", schema: diamond, data: diamondData,
			rule: age(`delete: {cascades: ["@.l", "@.r", "@.d", "@.e"]}`),
			goes: "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{
				"l": "SELECT * FROM l WHERE m_id <= 7",
				"r": "SELECT id, m_id, CASE WHEN other <= 7 THEN other END FROM r WHERE m_id <= 7",
				"d": "SELECT d.* FROM d JOIN l ON l.id = l_id JOIN r ON r.id = r_id WHERE l.m_id <= 7 AND r.m_id <= 7",
				"e": `SELECT a, b, CASE WHEN d_id IN (SELECT d.id FROM d JOIN l ON l.id = l_id JOIN r ON r.id = r_id
					WHERE l.m_id <= 7 AND r.m_id <= 7) THEN d_id ELSE 1 END FROM e`,
			},
			cascaded: map[string]int64{"@.l": 17, "@.r": 12, "@.d": 24, "@.e": 48}, uncascaded: true},
		{
			name:   "a step deletes the referencing rows first",
			schema: diamond,
			data:   diamondData,
			rule: age(`delete: {table: "@.l", as: x, where: "x.m_id = t.id", cascades: ["@.d", "@.e"]},
				delete: {cascades: ["@.l", "@.r", "@.d", "@.e"]}`),
			goes: "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{
				"l": "SELECT * FROM l WHERE m_id <= 7",
				"r": "SELECT id, m_id, CASE WHEN other <= 7 THEN other END FROM r WHERE m_id <= 7",
				"d": "SELECT d.* FROM d JOIN l ON l.id = l_id JOIN r ON r.id = r_id WHERE l.m_id <= 7 AND r.m_id <= 7",
				"e": `SELECT a, b, CASE WHEN d_id IN (SELECT d.id FROM d JOIN l ON l.id = l_id JOIN r ON r.id = r_id
					WHERE l.m_id <= 7 AND r.m_id <= 7) THEN d_id ELSE 1 END FROM e`,
			},
			related:    map[string]int64{"@.l": 17},
			uncascaded: true,
		},
		{name: "partitions on both sides", schema: parts, data: partsData,
			rule: age(`delete: {cascades: ["@.c", "@.g", "@.one"]}`),
			goes: "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{
				"c":   "SELECT * FROM c WHERE m_id <= 7",
				"g":   "SELECT id, CASE WHEN c_id < 14 THEN c_id END, CASE WHEN c_id < 14 THEN k END FROM g",
				"one": "SELECT * FROM one WHERE id <= 7",
			},
			uncascaded: true},
		{name: "inheriting tables do not have the foreign key", schema: inheritance, data: inheritanceData,
			rule: age(`delete: {cascades: ["@.c"]}`),
			goes: "SELECT * FROM m WHERE id > 7", leaves: map[string]string{
				"c": "SELECT * FROM c WHERE id NOT BETWEEN 8 AND 10",
			},
			cascaded: map[string]int64{"@.c": 3}},
		{
			name: "a deep tree",
			schema: `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
				CREATE TABLE tree (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE,
					up int REFERENCES tree ON DELETE CASCADE);
				CREATE TABLE leaf (id int PRIMARY KEY, tree_id int REFERENCES tree ON DELETE CASCADE)`,
			data: `INSERT INTO m SELECT i, :as_of - i * interval '1 day' FROM generate_series(1, 10) i;
				INSERT INTO tree SELECT i, CASE WHEN i <= 10 THEN i END, CASE WHEN i > 10 THEN i - 10 END
					FROM generate_series(1, 200) i;
				INSERT INTO leaf SELECT i, i / 2 + 1 FROM generate_series(1, 300) i`,
			rule: age(`delete: {cascades: ["@.tree", "@.leaf"]}`),
			goes: "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{"tree": "SELECT * FROM tree WHERE (id - 1) % 10 < 7",
				"leaf": "SELECT * FROM leaf WHERE tree_id > 200 OR (tree_id - 1) % 10 < 7"},
			uncascaded: true,
		},
	}}.run(t)
}

// blastRadius returns the rows of retention.blast_radius as text, with "?" for a count that is
// NULL.
func blastRadius(t *testing.T, in *kit.Installed, arguments string) []string {
	t.Helper()
	return pgtest.Column[string](t, in, `SELECT concat_ws(' ', step, effect, table_name, coalesce(rows::text, '?'))
		FROM retention.blast_radius(`+arguments+`)`)
}

// TestBlastRadiusUnknownCounts checks that blast_radius returns NULL instead of a count that cannot
// be known before the run. A note gives the reason.
func TestBlastRadiusUnknownCounts(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01', up int REFERENCES m);
		CREATE TABLE archived (id int PRIMARY KEY, at timestamptz, up int);
		CREATE TABLE other (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01');
		CREATE TABLE strict (id int PRIMARY KEY REFERENCES other ON DELETE RESTRICT);
		CREATE TABLE plain (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01');
		CREATE TABLE log (id int PRIMARY KEY, m int);
		CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
		CREATE TRIGGER veto BEFORE DELETE ON plain FOR EACH ROW EXECUTE FUNCTION veto();
		INSERT INTO m (id) SELECT generate_series(1, 5); INSERT INTO archived (id) VALUES (4);
		INSERT INTO other (id) SELECT generate_series(1, 5); INSERT INTO plain (id) SELECT generate_series(1, 5)`, `
policies:
  archives: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [archive: {into: archived}, delete]}
  restricted:
    table: other
    due: {age: {column: at, older_than: 7 days}}
    keep: {seen: "EXISTS (SELECT FROM strict s WHERE s.id = t.id + 100)"}
    then: [delete]
  triggered: {table: plain, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  empties:
    table: plain
    due: {age: {column: at, older_than: 9 days}}
    then:
      - update: {table: log, as: l, where: "l.m = t.id", set: {m: null}}
      - delete: {table: log, as: l, where: "l.m IS NULL"}
      - delete
  worded:
    table: plain
    due: {age: {column: at, older_than: 8 days}}
    then: [sql: "INSERT INTO public.log SELECT id FROM batch", delete]
`)
	for _, c := range []struct{ name, change, arguments, want, note string }{
		{
			name:      "the archive has a row with the same key",
			arguments: "'archives'",
			want:      "1 archive public.archived ?; 1 refused public.archived 1; 2 delete public.m ?",
			note:      "has rows with the same keys",
		},
		{"a CHECK of the archive is not foreseen", "DELETE FROM archived; ALTER TABLE archived ADD CHECK (id <> 3)",
			"'archives'", "1 archive public.archived 5; 2 delete public.m 5", ""},
		{"the archive accepts all rows", "ALTER TABLE archived DROP CONSTRAINT archived_id_check", "'archives'",
			"1 archive public.archived 5; 2 delete public.m 5", ""},
		{"rows of one table refer to each other", "UPDATE m SET up = 1 WHERE id = 3", "'archives'",
			"1 archive public.archived ?; 2 delete public.m ?; 2 blocked public.m 1", "m_up_fkey"},
		{"no row refers to the table", "", "'restricted'", "1 delete public.other 5", ""},
		{
			name:      "rows of another table refer to the table",
			change:    "INSERT INTO strict VALUES (2), (3)",
			arguments: "'restricted'",
			want:      "1 delete public.other ?; 1 blocked public.strict 2",
			note:      "5 as things are: foreign key public.other -> public.strict (strict_id_fkey) refuses some",
		},
		{"a trigger may veto", "", "'triggered'", "1 delete public.plain ?", "trigger veto may keep rows"},
		{
			name:      "a step with its own SQL statement",
			change:    "DROP TRIGGER veto ON plain",
			arguments: "'worded'",
			want:      "1 sql public.log ?; 2 delete public.plain 5",
			note:      "contains the SQL statement",
		},
		{"an AFTER trigger", "CREATE TRIGGER after AFTER DELETE ON plain FOR EACH ROW EXECUTE FUNCTION veto()",
			"'triggered'", "1 delete public.plain 5", "fires trigger after"},
		{"max_rows stops the count", "", "'triggered', max_rows => 3", "1 delete public.plain 3",
			"at least, because only 3 due rows were looked at"},
		{"an earlier as_of", "UPDATE plain SET at = '2024-06-01' WHERE id > 2", "'triggered', '2024-02-01'",
			"1 delete public.plain 2", "fires trigger after"},
		{"a step on a table that an earlier step writes", "INSERT INTO log VALUES (1, 1)", "'empties', '2024-02-01'",
			"1 update public.log 1; 2 delete public.log ?; 3 delete public.plain 2",
			"0 as things are: it acts on table \"public.log\", which step 1 writes"},
		{
			name:      "the owner of the runtime may read a referring table, but the worker may not",
			change:    "CREATE TABLE secret (id int REFERENCES plain); GRANT SELECT ON secret TO retention_owner",
			arguments: "'triggered', '2024-02-01'",
			want:      "1 delete public.plain ?; 1 blocked public.secret ?",
			note:      `role "retention_worker" lacks SELECT on public.secret`,
		},
		{"nothing is due for several steps", "", "'empties', '2020-01-01'", "", ""},
		{"nothing is due", "", "'triggered', '2020-01-01'", "", ""},
	} {
		in.Exec(t, c.change+";")
		if diff := cmp.Diff(c.want, strings.Join(blastRadius(t, in, c.arguments), "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		query := "SELECT note FROM retention.blast_radius(" + c.arguments + ") WHERE note IS NOT NULL"
		notes := strings.Join(pgtest.Column[string](t, in, query), "\n")
		if !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: the notes are %q, want %q", c.name, notes, c.note)
		}
	}
}

// TestForeignKeyChangedAfterInstall changes a foreign key after the policy was installed.
// blast_radius counts as if the run were not stopped. It counts along disabled foreign keys as if
// they were enabled. preview returns the message with which the run stops.
func TestForeignKeyChangedAfterInstall(t *testing.T) {
	t.Parallel()
	const recreate = `ALTER TABLE part DROP CONSTRAINT part_m_id_fkey;
		ALTER TABLE part ADD FOREIGN KEY (m_id) REFERENCES m ON DELETE `
	for name, c := range map[string]struct {
		change, want, note string
		m, part            int64 // rows left after the run
	}{
		"unchanged": {"", "1 delete public.m 5; 1 cascade public.part 5", "", 0, 0},
		"SET NULL on a NOT NULL column": {recreate + "SET NULL", "1 delete public.m ?; 1 blocked public.part 5",
			"part_m_id_fkey) refuses some", 5, 5},
		"SET DEFAULT without a default on a NOT NULL column": {
			change: recreate + "SET DEFAULT",
			want:   "1 delete public.m ?; 1 blocked public.part 5",
			note:   "part_m_id_fkey) refuses some",
			m:      5,
			part:   5,
		},
		"SET NULL on the nullable column of two": {
			change: `ALTER TABLE m ADD UNIQUE (id, k);
				ALTER TABLE part DROP CONSTRAINT part_m_id_fkey;
				ALTER TABLE part ADD FOREIGN KEY (m_id, k) REFERENCES m (id, k) ON DELETE SET NULL (k)`,
			want: "1 delete public.m 5; 1 set null public.part 5",
			m:    5,
			part: 5,
		},
		"SET NULL on the NOT NULL column of two": {
			change: `ALTER TABLE m ADD UNIQUE (id, k);
				ALTER TABLE part DROP CONSTRAINT part_m_id_fkey;
				ALTER TABLE part ADD FOREIGN KEY (m_id, k) REFERENCES m (id, k) ON DELETE SET NULL (m_id)`,
			want: "1 delete public.m ?; 1 blocked public.part 5",
			note: "refuses some",
			m:    5,
			part: 5,
		},
		"disabled on the referenced table": {"ALTER TABLE m DISABLE TRIGGER ALL",
			"1 delete public.m 5; 1 cascade public.part 5", "", 5, 5},
		"enabled for replicas only": {
			change: `DO $$ DECLARE x name;
				BEGIN FOR x IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'm'::regclass LOOP
					EXECUTE format('ALTER TABLE m ENABLE REPLICA TRIGGER %I', x);
				END LOOP;
				END $$`,
			want: "1 delete public.m 5; 1 cascade public.part 5",
			m:    5,
			part: 5,
		},
		"RESTRICT, disabled": {recreate + "RESTRICT; ALTER TABLE m DISABLE TRIGGER ALL",
			"1 delete public.m ?; 1 blocked public.part 5", "refuses some", 5, 5},
		"disabled on the referencing table": {"ALTER TABLE part DISABLE TRIGGER ALL",
			"1 delete public.m 5; 1 cascade public.part 5", "", 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, k int NOT NULL DEFAULT 1,
					at timestamptz NOT NULL DEFAULT '2024-01-01');
				CREATE TABLE part (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE,
					k int DEFAULT 1);
				INSERT INTO m (id) SELECT generate_series(1, 5);
				INSERT INTO part (id, m_id) SELECT i, i FROM generate_series(1, 5) i`,
				`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
					then: [delete: {cascades: [part]}]}}`)
			in.Exec(t, c.change+";")
			if diff := cmp.Diff(c.want, strings.Join(blastRadius(t, in, "'p'"), "; ")); diff != "" {
				t.Errorf("blast_radius (-want +got):\n%s", diff)
			}
			notes := strings.Join(pgtest.Column[string](t, in,
				"SELECT note FROM retention.blast_radius('p') WHERE note IS NOT NULL"), "\n")
			if !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("the notes are %q, want %q", notes, c.note)
			}
			stopped := pgtest.Value[string](t, in, "SELECT coalesce(stopped_by, '') FROM retention.preview('p')")
			o := in.Run("p", noon)
			if want := map[bool]string{true: "done", false: "tripped"}[stopped == ""]; o.State != want ||
				o.Message != stopped {
				t.Errorf("the run ended %s: %q; the preview had stopped_by = %q", o.State, o.Message, stopped)
			}
			m, part := pgtest.Value[int64](t, in, "SELECT count(*) FROM m"), pgtest.Value[int64](t, in,
				"SELECT count(*) FROM part")
			if m != c.m || part != c.part {
				t.Errorf("the run (%s %s) left %d rows of m and %d of part, want %d and %d",
					o.State, o.Message, m, part, c.m, c.part)
			}
		})
	}
}

// TestArchivesWithOtherKeys checks archives whose primary key can differ from the key of the copied
// rows. blast_radius counts refused rows only if the archive's key is copied from the row's key.
func TestArchivesWithOtherKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ key, step, want string }{
		"the same key": {"id bigint PRIMARY KEY", "archive: {into: store}",
			"1 archive public.store ?; 1 refused public.store 1; 2 delete public.m ?"},
		"a renamed key": {"m_id bigint PRIMARY KEY, id bigint", "archive: {into: store, columns: {m_id: id}}",
			"1 archive public.store ?; 1 refused public.store 1; 2 delete public.m ?"},
		"a generated key": {"n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id bigint", "archive: {into: store}",
			"1 archive public.store 5; 2 delete public.m 5"},
		"a key of another type": {"id numeric PRIMARY KEY", "archive: {into: store}",
			"1 archive public.store 5; 2 delete public.m 5"},
		"a key with the id of the run": {"id bigint, run bigint, PRIMARY KEY (id, run)",
			`archive: {into: store, set: {run: "run.id"}}`, "1 archive public.store 5; 2 delete public.m 5"},
		"the step reads the batch": {
			key:  "id bigint PRIMARY KEY",
			step: `archive: {into: store, where: "EXISTS (SELECT FROM batch b WHERE b.id = t.id)"}`,
			want: "1 archive public.store ?; 2 delete public.m 5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (id bigint PRIMARY KEY,
					at timestamptz NOT NULL DEFAULT '2024-01-01');
				CREATE TABLE store (`+c.key+`, at timestamptz);
				INSERT INTO m (id) SELECT generate_series(1, 5)`,
				`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [`+c.step+`, delete]}}`)
			if strings.Contains(c.want, "refused") {
				in.Exec(t, "INSERT INTO store SELECT 3;")
			}
			if diff := cmp.Diff(c.want, strings.Join(blastRadius(t, in, "'p'"), "; ")); diff != "" {
				t.Errorf("blast_radius (-want +got):\n%s", diff)
			}
			if strings.Contains(c.want, "store 5") {
				in.CheckPreview(t, "p", noon, nil, func() { in.Done("p", noon) })
			}
		})
	}
}

// TestPreviewOfOneRun checks three results of preview: the rows that one run takes, the duration
// estimated from earlier runs, and a count that stops at max_rows.
func TestPreviewOfOneRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 5000) i;
		ANALYZE m`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    budget: {rows: 2000}
    breaker: {fraction: 1.0}
    then: [delete]
`)
	row := func(arguments string) string {
		return pgtest.Value[string](t, in, `SELECT concat_ws(' ', due, one_run, bytes BETWEEN 100000 AND 400000,
			run_time > '0', based_on, capped) FROM retention.preview('p', '`+noon+"'"+arguments+")")
	}
	if got := row(""); got != "5000 2000 t 0 f" {
		t.Errorf("before any run, preview is %q", got)
	}
	if got := row(", max_rows => 10"); got != "10 10 f 0 t" {
		t.Errorf("with max_rows => 10, preview is %q", got)
	}
	in.Run("p", noon)
	if got := row(""); got != "3000 2000 t t 1 f" {
		t.Errorf("after one run, preview is %q", got)
	}
}

// TestBlastRadiusRunsNoUntrustedCode creates a foreign key to the policy's table as an untrusted
// role. The foreign key compares by a cast that this role wrote. blast_radius raises an error, so
// the cast does not run. blast_radius counts rows of a referencing table whose owner also owns the
// policy's table.
func TestBlastRadiusRunsNoUntrustedCode(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01');
		INSERT INTO m SELECT generate_series(1, 5)`, `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
`)
	in.Exec(t, pgtest.MakeRole("radius_stranger")+`
		CREATE SCHEMA own AUTHORIZATION radius_stranger;
		GRANT USAGE ON SCHEMA public TO radius_stranger;
		GRANT REFERENCES ON m TO radius_stranger;
		SET ROLE radius_stranger;
		CREATE TYPE own.number AS ENUM ('1', '2');
		CREATE FUNCTION own.value(own.number) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
			RAISE EXCEPTION 'run as %', current_user;
		END $$;
		CREATE CAST (own.number AS bigint) WITH FUNCTION own.value(own.number) AS IMPLICIT;
		CREATE TABLE own.child (m_id own.number);
		ALTER TABLE own.child ADD FOREIGN KEY (m_id) REFERENCES public.m;
		GRANT USAGE ON SCHEMA own TO PUBLIC;
		GRANT SELECT ON own.child TO PUBLIC;
		RESET ROLE;
		REVOKE REFERENCES ON m FROM radius_stranger`)
	_, err := in.Viewer().Exec(t.Context(), "SELECT * FROM retention.blast_radius('p')")
	if sqlState(err) != "PR004" || !strings.Contains(err.Error(),
		`belongs to role "radius_stranger", which is not trusted`) {
		t.Errorf("blast_radius returned %v, want PR004 because of the untrusted role", err)
	}

	in.Exec(t, `DROP TABLE own.child;
		CREATE TABLE own.child (m_id bigint REFERENCES m);
		INSERT INTO own.child VALUES (2);
		GRANT SELECT ON own.child TO PUBLIC; ALTER TABLE own.child OWNER TO `+kit.Migrator+`;
		ALTER SCHEMA own OWNER TO `+kit.Migrator)
	if diff := cmp.Diff("1 delete public.m ?; 1 blocked own.child 1",
		strings.Join(blastRadius(t, in, "'p'"), "; ")); diff != "" {
		t.Errorf("blast_radius (-want +got):\n%s", diff)
	}
}

// TestWhy checks that why reports for one row whether the run takes it, what keeps it, and when it
// becomes due.
func TestWhy(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int, part varchar(1), at timestamptz, pinned boolean,
			PRIMARY KEY (id, part));
		INSERT INTO m VALUES (1, 'a', '2024-03-01 12:00:00+00', false),
			(2, 'a', '2024-03-30 12:00:00.25+00', false),
			(3, 'a', '2024-03-01', true), (4, 'a', '2024-03-01', NULL), (5, 'a', NULL, false),
				(6, 'a', 'infinity', false), (1, 'b', '2024-03-31', true);
		CREATE TABLE e (id int PRIMARY KEY, until date); INSERT INTO e VALUES (1, '2024-04-30'), (2, '2024-03-30');
		CREATE TABLE r (id int PRIMARY KEY); INSERT INTO r SELECT generate_series(1, 3)`,
		`policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {pinned: pinned}, then: [delete]}
  expiring: {table: e, due: {expires: {column: until}}, then: [delete]}
  rank: {table: r, due: {beyond: {first: 2, order: id desc}}, then: [delete]}`)
	for _, c := range []struct{ policy, key, want string }{
		{"p", `{"id": 1, "part": "a"}`, `(t,,)`},
		{"p", `{"id": 1, "part": "ab"}`, ``},
		{"p", `{"id": 2, "part": "a"}`, `(f,"not due","2024-04-06 12:00:00+00")`},
		{"p", `{"id": 3}`, `(f,pinned,)`},
		{"p", `{"id": 4}`, `(f,pinned,)`},
		{"p", `{"id": 5}`, `(f,"not due",)`},
		{"p", `{"id": 6}`, `(f,"not due",)`},
		{"p", `{"id": 7}`, ``},
		{"p", `{"id": 1}`, `(f,"not due","2024-04-07 00:00:00+00"),(t,,)`},
		{"expiring", `1`, `(f,"not due","2024-05-01 00:00:00+00")`},
		{"expiring", ` {"id": "1"}`, `(f,"not due","2024-05-01 00:00:00+00")`},
		{"expiring", `{"id": 2}`, `(t,,)`},
		{"rank", `{"id": 1}`, `(t,,)`},
		{"rank", `{"id": 3}`, `(f,"not due",)`},
	} {
		got := pgtest.Value[string](t, in, `SELECT coalesce(string_agg(w::text, ',' ORDER BY w::text), '')
			FROM retention.why($1, $2, $3) w`, c.policy, c.key, noon)
		if got != c.want {
			t.Errorf("why(%s, %s) is %s, want %s", c.policy, c.key, got, c.want)
		}
	}
	for sql, code := range map[string]string{
		`SELECT retention.why('q', '{"id": 1}')`: "P0002",
		`SELECT retention.why('p', '{"x": 1}')`:  "42703",
		`SELECT retention.why('p', '{}')`:        "22023",
		`SELECT retention.why('p', '{id: 1}')`:   "22023",
		`SELECT retention.why('p', NULL)`:        "22023",
		`SELECT retention.why('p', '4')`:         "0A000",
	} {
		var refused *pgconn.PgError
		if err := in.Operator(sql); !errors.As(err, &refused) || refused.Code != code {
			t.Errorf("%s returned %v, want SQLSTATE %s", sql, err, code)
		}
	}
	var refused *pgconn.PgError
	const hint = `Write a JSON object with columns and values: {"id": "...", "part": "..."}.`
	if err := in.Operator(`SELECT retention.why('p', '4')`); !errors.As(err, &refused) || refused.Hint != hint ||
		refused.Message != `the key of "public.m" is (id, part)` {
		t.Errorf("why with one value for a key of two columns returned %v (%s)", err, refused.Hint)
	}
}

// TestClocksShown checks that preview and backlog show the oldest and the newest due value as
// timestamps, whatever the encoding. RFC 9562, the ULID specification and two services publish the
// keys together with their timestamps. A value before "since" is not due.
func TestClocksShown(t *testing.T) {
	t.Parallel()
	const ulid, ulidAt = "01ARZ3NDEKTSV4RRFFQ69G5FAV", "2016-07-30 23:54:10.259+00"
	cases := []struct{ typ, clock, values, oldest, newest string }{
		{"integer", "epoch_s", "0, 1234567890", "1970-01-01 00:00:00+00", "2009-02-13 23:31:30+00"},
		{"numeric", "epoch_s", "-0.5, 1234567890.123456", "1969-12-31 23:59:59.5+00", "2009-02-13 23:31:30.123456+00"},
		{"double precision", "epoch_s", "'-infinity', 1234567890.25", "2009-02-13 23:31:30.25+00",
			"2009-02-13 23:31:30.25+00"},
		{"bigint", "epoch_s", "-9223372036854775808, 1234567890", "2009-02-13 23:31:30+00", "2009-02-13 23:31:30+00"},
		{"bigint", "epoch_ms", "-1, 1234567890123", "1969-12-31 23:59:59.999+00", "2009-02-13 23:31:30.123+00"},
		{"bigint", "{snowflake: {shift: 22, epoch: 1420070400000}}", "-1, 175928847299117063",
			"2014-12-31 23:59:59.999+00", "2016-04-30 11:18:25.796+00"},
		{"bigint", "{snowflake: {shift: 22, epoch: 1288834974657}}", "4194303, 1541815603606036480",
			"2010-11-04 01:42:54.657+00", "2022-06-28 16:07:40.105+00"},
		{"bigint", "{snowflake: {shift: 16, epoch: 0}}", "65536, 80908641239040000", "1970-01-01 00:00:00.001+00",
			"2009-02-13 23:31:30+00"},
		{"uuid", "uuidv7", "'017F22E2-79B0-7CC3-98C4-DC0C0C07398F'", "2022-02-22 19:22:22+00",
			"2022-02-22 19:22:22+00"},
		{
			typ:   "uuid",
			clock: "uuidv7, nulls: due",
			values: "'00c1dff3-8d4b-4d3f-a6e2-1f2a3b4c5d6e', " +
				"'017F22E2-79B0-7CC3-98C4-DC0C0C07398F', NULL, 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
			oldest: "2022-02-22 19:22:22+00",
			newest: "2022-02-22 19:22:22+00",
		},
		{"uuid", "ulid", "'01563e3a-b5d3-d676-4c61-efb99302bd5b'", ulidAt, ulidAt},
		{"text", "ulid", "'00000000000000000000000000', '" + ulid + "'", "1970-01-01 00:00:00+00", ulidAt},
		{"char(26)", "ulid, nulls: due", "'', '0', '" + ulid + "', 'old'", ulidAt, ulidAt},
		{"date", "", "'2024-01-01', '2024-02-01'", "2024-01-01", "2024-02-01"},
		{"bigint", "position", "1234567890, 1234567890123", "1234567890", "1234567890123"},
		{"uuid", "position", "'017f22e2-79b0-7cc3-98c4-dc0c0c07398f'", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
			"017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
	}
	var schema, policies strings.Builder
	for i, c := range cases {
		fmt.Fprintf(&schema, `CREATE TABLE m%d (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, c %s);
			INSERT INTO m%[1]d (c) SELECT unnest(ARRAY[%[3]s]::%[2]s[]);`, i, c.typ, c.values)
		due := "age: {column: c, older_than: 7 days, since: 1960-01-01, encoding: " + c.clock + "}"
		switch {
		case c.clock == "":
			due = "age: {column: c, older_than: 7 days}"
		case c.clock == "position":
			due = fmt.Sprintf(`position: {column: c, up_to: "SELECT max(c::text)::%s FROM m%d"}`, c.typ, i)
		}
		fmt.Fprintf(&policies, "  p%d: {table: m%[1]d, due: {%s}, then: [delete]}\n", i, due)
	}
	schema.WriteString(`CREATE TABLE parts (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (175928847299117063);
		CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (175928847299117063) TO (MAXVALUE);`)
	policies.WriteString("  parts: {partitions_of: parts, due: {age: {encoding: {snowflake: {shift: 22, epoch: " +
		"1420070400000}}, older_than: 7 days}}, then: [drop]}\n")
	in := kit.Install(t, schema.String(), "policies:\n"+policies.String())
	shown := func(query, name string) string {
		return pgtest.Value[string](t, in, `SELECT concat_ws(' to ', x.oldest, x.newest)
			FROM `+strings.ReplaceAll(query, "@", name))
	}
	for i, c := range cases {
		name := fmt.Sprintf("p%d", i)
		for _, query := range []string{"retention.preview('@') x", "retention.backlog x WHERE x.policy = '@'"} {
			if got, want := shown(query, name), c.oldest+" to "+c.newest; got != want {
				t.Errorf("%s %s of %s: %s shows %s, want %s", c.typ, c.clock, c.values, query, got, want)
			}
		}
	}
	if got, want := shown("retention.preview('@') x",
		"parts"), "2016-04-30 11:18:25.796+00 to 2016-04-30 11:18:25.796+00"; got != want {
		t.Errorf("partitions by Snowflake IDs: %s, want %s", got, want)
	}
}
