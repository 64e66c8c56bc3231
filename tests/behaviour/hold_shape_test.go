package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// partKeys creates foreign keys that reference a partition of the policy's table. One of them
// belongs to a partition of the referencing table.
const partKeys = `
	CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
	CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
	ALTER TABLE m_1 ADD UNIQUE (id);
	INSERT INTO m SELECT i, '2023-06-01' FROM generate_series(1, 8) i;
	INSERT INTO m VALUES (3, '2024-01-02'), (9, '2024-01-02');
	CREATE TABLE c (id int, k int NOT NULL, m_id int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
	CREATE TABLE c_1 PARTITION OF c FOR VALUES IN (1);
	CREATE TABLE c_2 PARTITION OF c FOR VALUES IN (2);
	ALTER TABLE c_1 ADD FOREIGN KEY (m_id) REFERENCES m_1 (id) ON DELETE CASCADE;
	INSERT INTO c SELECT i, 1, i FROM generate_series(1, 8) i;
	INSERT INTO c VALUES (6, 2, 6);
	CREATE TABLE d (id int PRIMARY KEY, m_id int REFERENCES m_1 (id) ON DELETE SET NULL);
	INSERT INTO d SELECT i, i FROM generate_series(1, 8) i;
	CREATE TABLE leaf (id int PRIMARY KEY, c_id int, k int, FOREIGN KEY (c_id, k) REFERENCES c ON DELETE CASCADE);
	INSERT INTO leaf SELECT i, i, 1 FROM generate_series(1, 8) i`

const partKeysPolicy = `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [delete: {cascades: [c, d, leaf]}]
`

// A hold on a referencing row keeps the referenced row, even if the foreign key belongs to a
// partition. Rows of other partitions have no such key, so a hold on them keeps no row of m.
func TestHoldsAlongKeysOfPartitions(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, partKeys, partKeysPolicy)
	hold(t, in, "'c', '{\"id\": 2, \"k\": 1}', 'case 1'")
	hold(t, in, "'d', '3', 'case 1'")
	hold(t, in, "'c', '{\"m_id\": 5}', 'case 1'")
	hold(t, in, "'c', '{\"id\": 6, \"k\": 2}', 'case 1'") // c_2 has no foreign key to m
	hold(t, in, "'leaf', '7', 'case 1'")
	due, kept := in.Count("p", noon)
	rows := in.CountDue("p", noon)
	o := in.Done("p", noon)
	want := map[string][]string{
		"SELECT id, at::date FROM m": {"(2,2023-06-01)", "(3,2023-06-01)", "(5,2023-06-01)",
			"(7,2023-06-01)"},
		"SELECT id, k, m_id FROM c":               {"(2,1,2)", "(3,1,3)", "(5,1,5)", "(6,2,6)", "(7,1,7)"},
		"SELECT id FROM leaf":                     {"(2)", "(3)", "(5)", "(7)"},
		"SELECT id FROM d WHERE m_id IS NOT NULL": {"(2)", "(3)", "(5)", "(7)"},
	}
	for query, rows := range want {
		if diff := cmp.Diff(rows, in.Rows(query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	if o.Taken != 6 || o.Kept["hold"] != 4 || due != 6 || rows != 6 || kept["hold"] != 4 {
		t.Errorf("want 6 rows taken and 4 kept: %+v; preview counts %d due, %v kept; %d rows are due",
			o, due, kept, rows)
	}
}

// A hold on a row of a partitioned table also applies if a step names the partition.
func TestHoldsOnRelatedPartition(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 4) i;
		CREATE TABLE c (id int, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
		CREATE TABLE c_1 PARTITION OF c FOR VALUES IN (1);
		INSERT INTO c SELECT i, 1 FROM generate_series(1, 4) i; GRANT SELECT ON c TO retention_worker`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then:
      - delete: {table: c_1, as: c, where: "c.id = t.id"}
      - delete
`)
	hold(t, in, "'c', '{\"id\": 2, \"k\": 1}', 'case'")
	in.Done("p", noon)
	if diff := cmp.Diff([]int{2}, pgtest.Column[int](t, in, "SELECT c.id FROM c JOIN m USING (id)")); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// staleHoldCases lists changes of the database after which the guards cannot apply a hold. message
// is a part of the message with which runs trip.
var staleHoldCases = map[string]struct{ schema, then, hold, change, message string }{
	"the table became a partition": {
		schema: `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2025-01-01');
		CREATE TABLE m_1 (LIKE m INCLUDING ALL);
		INSERT INTO m_1 SELECT i, '2024-01-01' FROM generate_series(1, 3) i;
		INSERT INTO m VALUES (9, '2024-02-02'); GRANT SELECT ON m_1 TO retention_worker`,
		then:    `[delete]`,
		hold:    "'m_1', '{\"id\": 2, \"at\": \"2024-01-01\"}', 'case'",
		change:  "ALTER TABLE m ATTACH PARTITION m_1 FOR VALUES FROM ('2024-01-01') TO ('2024-02-01')",
		message: `"public.m_1", which is a partition of "public.m" now`,
	},
	"the related table became a partition": {
		schema: rowsOfM + `CREATE TABLE c (id int, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
		CREATE TABLE c_1 (LIKE c INCLUDING ALL); INSERT INTO c_1 SELECT i, 1 FROM generate_series(1, 3) i;
		GRANT SELECT ON c_1 TO retention_worker`,
		then:    `[delete: {table: c, as: c, where: "c.id = t.id"}, delete]`,
		hold:    "'c_1', '{\"id\": 2, \"k\": 1}', 'case'",
		change:  "ALTER TABLE c ATTACH PARTITION c_1 FOR VALUES IN (1)",
		message: `"public.c_1", which is a partition of "public.c" now`,
	},
	"a column's scale": {
		schema:  rowsOfM + "ALTER TABLE m ADD k numeric(10, 0); UPDATE m SET k = id",
		then:    `[delete]`,
		hold:    "'m', '{\"k\": 2}', 'case'",
		change:  "ALTER TABLE m ALTER k TYPE numeric(10, 2)",
		message: "these are of type numeric(10,2) now",
	},
	"a column's type": {
		schema:  rowsOfM + "ALTER TABLE m ADD k text; UPDATE m SET k = '0' || id",
		then:    `[delete]`,
		hold:    "'m', '{\"k\": \"02\"}', 'case'",
		change:  "ALTER TABLE m ALTER k TYPE int USING k::int",
		message: "these are of type integer now",
	},
	"another table took its name": {
		schema: rowsOfM,
		then:   `[delete]`,
		hold:   "'m', '2', 'case'",
		change: `CREATE TABLE n (LIKE m INCLUDING ALL);
			INSERT INTO n SELECT * FROM m;
			GRANT SELECT, UPDATE, DELETE ON n TO retention_worker;
			ALTER TABLE m RENAME TO o;
			ALTER TABLE n RENAME TO m`,
		message: `is called "public.o" now`,
	},
	"the table was re-created": {
		schema: rowsOfM + `CREATE TABLE r (id int PRIMARY KEY);
			INSERT INTO r VALUES (2);
			GRANT SELECT ON r TO retention_worker`,
		then:    `[delete]`,
		hold:    "'r', '2', 'case'",
		change:  "DROP TABLE r; CREATE TABLE r (id int PRIMARY KEY); INSERT INTO r VALUES (2)",
		message: "is not the present one of that name",
	},
	"the table was dropped": {
		schema: rowsOfM + `CREATE TABLE r (id int PRIMARY KEY);
			INSERT INTO r VALUES (2);
			GRANT SELECT ON r TO retention_worker`,
		then:    `[delete]`,
		hold:    "'r', '2', 'case'",
		change:  "DROP TABLE r",
		message: "which is not there",
	},
}

const rowsOfM = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
	INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i;`

// TestStaleHolds checks holds that the guards cannot apply after a change of the database. Runs
// trip before they take a row, until the hold is released.
func TestStaleHolds(t *testing.T) {
	t.Parallel()
	for name, c := range staleHoldCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, c.schema, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
				then: `+c.then+"}}")
			hold(t, in, c.hold)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; "+c.change+"; RESET ROLE")
			before := in.Rows("SELECT * FROM m")
			if o := in.Run("p", noon); o.State != "tripped" || !strings.Contains(o.Message, c.message) {
				t.Errorf("the run ended %s: %q, want tripped with %q", o.State, o.Message, c.message)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT * FROM m")); diff != "" {
				t.Errorf("the run changed rows (-before +after):\n%s", diff)
			}
			if stopped := pgtest.Value[string](t, in, `SELECT coalesce(stopped_by, '')
				FROM retention.preview('p', '`+noon+"')"); !strings.Contains(stopped, c.message) {
				t.Errorf("preview has stopped_by = %q, want a part %q", stopped, c.message)
			}
			if err := in.Operator("SELECT retention.release_hold(1, 'closed')"); err != nil {
				t.Fatal(err)
			}
			if o := in.Run("p", noon); strings.Contains(o.Message, c.message) || o.State == "tripped" {
				t.Errorf("after the release, the run ended %+v", o)
			}
		})
	}
}

// A change that does not affect a hold must not stop a run.
func TestHoldsAfterHarmlessChanges(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, partKeys, partKeysPolicy)
	for _, sql := range []string{"'m', '{\"id\": 1, \"at\": \"2023-06-01\"}', 'case'", "'d', '3', 'case'",
		"'c', '{\"id\": 2, \"k\": 1}', 'case'", "'leaf', '7', 'case'"} {
		hold(t, in, sql)
	}
	in.Exec(t, "SET ROLE "+kit.Migrator+`;
		ALTER TABLE d ADD COLUMN other int REFERENCES d;
		CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
		CREATE TABLE c_3 PARTITION OF c FOR VALUES IN (3);
		CREATE TABLE away (id int, at timestamptz);
		CREATE RULE away AS ON DELETE TO away DO INSTEAD NOTHING;
		RESET ROLE`)
	if o := in.Done("p", noon); o.Kept["hold"] != 4 {
		t.Errorf("the run kept %d rows by a hold, want 4: %+v", o.Kept["hold"], o)
	}
}

// The INCLUDE columns of an index are not part of the key, so a hold by the key omits them.
func TestHoldByAKeyWithInclude(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id) INCLUDE (at));
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i`,
		"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	hold(t, in, "'m', '2', 'case'")
	in.Done("p", noon)
	if diff := cmp.Diff([]int{2}, pgtest.Column[int](t, in, "SELECT id FROM m")); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// A foreign key that was added later trips the run, because the guards do not follow it to holds. A
// primary key with another order of columns does not trip the run, because a hold on the table
// itself still applies.
func TestHoldsAlongKeysAddedLater(t *testing.T) {
	t.Parallel()
	const second = rowsOfM + `CREATE TABLE r (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE, other int);
			INSERT INTO r VALUES (1, 1, NULL), (2, NULL, 2);
		CREATE TABLE s (id int PRIMARY KEY, r_id int REFERENCES r ON DELETE SET NULL); INSERT INTO s VALUES (5, 2);`
	for name, c := range map[string]struct {
		schema, then, hold, change string
		left                       []int
	}{
		"a second key": {second, `[delete: {cascades: [r, s]}]`, "'r', '2', 'case'",
			"ALTER TABLE r ADD FOREIGN KEY (other) REFERENCES m ON DELETE CASCADE", []int{1, 2, 3}},
		"a second key, held below": {second, `[delete: {cascades: [r, s]}]`, "'s', '5', 'case'",
			"ALTER TABLE r ADD FOREIGN KEY (other) REFERENCES m ON DELETE CASCADE", []int{1, 2, 3}},
		"a second key of another action": {second, `[delete: {cascades: [r, s]}]`, "'r', '2', 'case'",
			"ALTER TABLE r ADD FOREIGN KEY (other) REFERENCES m ON DELETE SET NULL", []int{1, 2, 3}},
		"the key's columns": {
			schema: `CREATE TABLE m (id int, k int DEFAULT 0, at timestamptz NOT NULL, PRIMARY KEY (id, k));
				INSERT INTO m SELECT i, 0, '2024-01-01' FROM generate_series(1, 3) i`,
			then:   `[delete]`,
			hold:   "'m', '{\"id\": 2, \"k\": 0}', 'case'",
			change: "ALTER TABLE m DROP CONSTRAINT m_pkey, ADD PRIMARY KEY (k, id)",
			left:   []int{2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, c.schema, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
				then: `+c.then+"}}")
			hold(t, in, c.hold)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; "+c.change+"; RESET ROLE")
			if o := in.Run("p", noon); (o.State == "done") != (len(c.left) == 1) {
				t.Errorf("ended %s: %s", o.State, o.Message)
			}
			if diff := cmp.Diff(c.left, pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY id")); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

// A hold two foreign keys away keeps the referenced row, in batches by rank and in partitioned
// tables. The batch locks all rows on the path.
func TestHoldsTwoKeysAway(t *testing.T) {
	t.Parallel()
	const below = `CREATE TABLE leaf (id int PRIMARY KEY, child_id int REFERENCES child ON DELETE SET NULL);
		INSERT INTO leaf SELECT id, id FROM child`
	for name, c := range map[string]struct {
		schema, due string
		left        []int
	}{
		"by rank": {
			schema: `CREATE TABLE m (id int PRIMARY KEY, g int NOT NULL DEFAULT 0);
			INSERT INTO m SELECT generate_series(1, 5);
			CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
			INSERT INTO child SELECT id, id FROM m;`,
			due:  `beyond: {first: 1, per: [g], order: "id DESC"}`,
			left: []int{2, 5},
		},
		"of a partitioned table": {
			schema: `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
			CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
			CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
			INSERT INTO m SELECT i, CASE WHEN i < 3 THEN '2023-06-01' ELSE '2024-01-01' END::timestamptz
				FROM generate_series(1, 5) i;
			CREATE TABLE child (id int PRIMARY KEY, m_id int, at timestamptz,
				FOREIGN KEY (m_id, at) REFERENCES m ON DELETE CASCADE);
			INSERT INTO child SELECT id, id, at FROM m;`,
			due:  "age: {column: at, older_than: 7 days}",
			left: []int{2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, c.schema+below,
				"policies: {p: {table: m, due: {"+c.due+`}, then: [{delete: {cascades: [child, leaf]}}],
					breaker: {fraction: 1.0}}}`)
			hold(t, in, "'leaf', '2', 'case'")
			in.Done("p", noon)
			if diff := cmp.Diff(c.left, pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY id")); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]int{2}, pgtest.Column[int](t, in,
				"SELECT child_id FROM leaf WHERE id = 2")); diff != "" {
				t.Errorf("the held row differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A hold by a timestamp applies to the same rows after the time zone of the install changes.
func TestHoldsAndZone(t *testing.T) {
	t.Parallel()
	const policies = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}"
	const utc, berlin = "install: {scheduler: none, time_zone: UTC}\n" + policies, "install: {scheduler: none, " +
		"time_zone: Europe/Berlin}\n" + policies
	in := kit.Install(t, `CREATE DOMAIN moment AS timestamptz;
		CREATE TABLE m (id int, at timestamptz NOT NULL, seen moment, PRIMARY KEY (id, at));
		INSERT INTO m SELECT i, '2024-01-01 00:00+00', '2024-01-01 00:00+00'::timestamptz + i * interval '1 hour'
			FROM generate_series(1, 3) i`, utc)
	hold(t, in, "'m', '{\"id\": 2, \"at\": \"2024-01-01 01:00+01\"}', 'key'")
	hold(t, in, "'m', '{\"seen\": \"2024-01-01 03:00+00\"}', 'domain'")
	in.Migrate(t, berlin)
	if o := in.Done("p", noon); o.Taken != 1 || o.Kept["hold"] != 2 {
		t.Errorf("took %d rows and kept %d, want 1 and 2: %+v", o.Taken, o.Kept["hold"], o)
	}
}

// A hold can name a row that does not exist yet. It keeps that row later, whatever the spelling of
// the value. place_hold refuses a value that no row can have.
func TestHoldsForFutureRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id numeric PRIMARY KEY);
		CREATE TABLE n (id numeric(10, 2) PRIMARY KEY);
		CREATE TABLE v (id varchar(3) PRIMARY KEY)`,
		`policies: {m: {table: m, where: true, then: [delete]}, n: {table: n, where: true, then: [delete]},
			v: {table: v, where: true, then: [delete]}}`)
	for sql, message := range map[string]string{
		"'n', '2.555', 'case'": "no row",
		"'v', 'abcd', 'case'":  "no row",
	} {
		if err := in.Operator("SELECT retention.place_hold(" + sql + ")"); err == nil ||
			!strings.Contains(err.Error(), message) {
			t.Errorf("place_hold(%s) returned %v, want a message with %q", sql, err, message)
		}
	}
	hold(t, in, "'m', '2.50', 'later'")
	hold(t, in, "'n', '2.5', 'later'")
	hold(t, in, "'v', 'abc', 'later'")
	in.Exec(t, `INSERT INTO m VALUES (2.5), (3);
		INSERT INTO n VALUES (2.5), (3);
		INSERT INTO v VALUES ('abc'), ('abd')`)
	for _, policy := range []string{"m", "n", "v"} {
		in.Done(policy, noon)
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM "+policy); n != 1 {
			t.Errorf("%s: %d rows left, want 1", policy, n)
		}
	}
}

// inheritanceTables creates app.note, which inherits from app.other and app.base. app.base inherits
// from app.thing. app.page and app.blob, which foreign keys and steps of the policy reach, inherit
// from other tables. app.late becomes a parent of app.note later.
const inheritanceTables = `
	CREATE SCHEMA app;
	CREATE TABLE app.thing (id int NOT NULL, note text);
	CREATE TABLE app.base (kind text) INHERITS (app.thing);
	CREATE TABLE app.other (tag int);
	CREATE TABLE app.note (at timestamptz NOT NULL, PRIMARY KEY (id)) INHERITS (app.other, app.base);
	INSERT INTO app.note (id, note, kind, tag, at) SELECT i, 'n' || i, 'k' || i, i * 10, '2024-01-01'
		FROM generate_series(1, 12) i;
	CREATE TABLE app.paper (id int NOT NULL);
	CREATE TABLE app.page (note_id int REFERENCES app.note ON DELETE CASCADE,
		PRIMARY KEY (id)) INHERITS (app.paper);
	INSERT INTO app.page SELECT i + 100, i FROM generate_series(1, 12) i;
	CREATE TABLE app.sheet (name text NOT NULL);
	CREATE TABLE app.blob (note_id int, PRIMARY KEY (name)) INHERITS (app.sheet);
	INSERT INTO app.blob SELECT 'b' || i, i FROM generate_series(1, 12) i;
	CREATE TABLE app.late (note text, id int NOT NULL)`

// TestHoldsOnParents checks that a hold on a table keeps rows of the tables that inherit from it,
// at any level. It also keeps rows of a table that began to inherit later. The hold applies to each
// way in which a policy takes rows. The run keeps no other rows.
func TestHoldsOnParents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ then, keep string }{
		"one statement": {"delete: {cascades: [app.page]}", ""},
		"row by row": {"update: {set: {note: \"'x'\"}}, delete: {cascades: [app.page]}",
			"keep: {one: \"t.id IN (SELECT 12)\"}"},
		"related": {"delete: {table: app.blob, as: b, where: \"b.note_id = t.id\"}, delete: {cascades: [app.page]}",
			""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			then := ""
			for _, step := range strings.SplitAfter(c.then, "}, ") {
				then += "\n      - " + strings.TrimSuffix(step, ", ")
			}
			in := kit.Install(t, inheritanceTables, `
policies:
  p:
    table: app.note
    due: {age: {column: at, older_than: 7 days}}
    `+c.keep+`
    batch: {rows: 5}
    breaker: {fraction: 1.0}
    then:`+then)
			for _, call := range []string{
				"'app.thing', '{\"id\": 2}', 'x'",
				"'app.base', '{\"kind\": \"k3\", \"note\": \"n3\"}', 'x'",
				"'app.other', '{\"tag\": 40}', 'x'",
				"'app.note', '5', 'x'",
				"'app.paper', '{\"id\": 106}', 'x'",
				"'app.late', '{\"id\": 7}', 'x'",
				"'app.base', '{\"kind\": \"none\"}', 'x'",
			} {
				hold(t, in, call)
			}
			in.Exec(t, "ALTER TABLE app.note INHERIT app.late")
			want := []int{2, 3, 4, 5, 6, 7}
			if name == "related" {
				hold(t, in, "'app.sheet', '{\"name\": \"b8\"}', 'x'")
				want = append(want, 8)
			}
			held := int64(len(want))
			if c.keep != "" {
				want = append(want, 12)
			}
			due, kept := in.Count("p", noon)
			rows := in.CountDue("p", noon)
			o := in.Done("p", noon)
			if diff := cmp.Diff(want, pgtest.Column[int](t, in, "SELECT id FROM app.note ORDER BY id")); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
			if o.Taken != int64(12-len(want)) || o.Kept["hold"] != held || due != o.Taken || rows != due ||
				kept["hold"] != held {
				t.Errorf("want %d rows kept by holds: %+v; preview counts %d due, %v kept; %d rows are due",
					held, o, due, kept, rows)
			}
			if err := in.Operator("SELECT retention.release_hold(id, 'closed') FROM retention.hold"); err != nil {
				t.Fatal(err)
			}
			if o := in.Done("p", noon); o.Taken != held {
				t.Errorf("after the release, the run ended %+v", o)
			}
		})
	}
}

// TestHintsForHoldsKeepTheRow executes the hint of health() after a hold stopped a run, if the hint
// is a statement. The held row must stay.
func TestHintsForHoldsKeepTheRow(t *testing.T) {
	t.Parallel()
	for name, c := range staleHoldCases {
		if !strings.HasPrefix(c.hold, "'m") { // the policy takes only rows of m
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, c.schema, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
				then: `+c.then+"}}")
			hold(t, in, c.hold)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; "+c.change+"; RESET ROLE")
			held := in.Rows("SELECT id FROM m WHERE id = 2")
			in.Run("p", noon)
			hint := pgtest.Value[string](t, in,
				"SELECT hint FROM retention.health() WHERE policy = 'p' AND problem ~ 'last run'")
			if !strings.HasPrefix(hint, "SELECT ") {
				return
			}
			if err := in.Operator(hint); err != nil {
				t.Fatalf("the hint %s raised %v", hint, err)
			}
			in.Run("p", noon)
			if diff := cmp.Diff(held, in.Rows("SELECT id FROM m WHERE id = 2")); diff != "" {
				t.Errorf("after %s (-want +got):\n%s", hint, diff)
			}
		})
	}
}

// TestHoldsBelowKeysThatReplaceNull has a foreign key whose action writes NULL into a NOT NULL
// column. A default of the column's type, or a trigger, replaces that NULL, so a delete would
// succeed. A hold on the referencing row must keep the referenced row.
func TestHoldsBelowKeysThatReplaceNull(t *testing.T) {
	t.Parallel()
	const parents = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m VALUES (0, '2099-01-01'), (1, '2024-01-01'), (2, '2024-01-01');`
	for name, child := range map[string]string{
		"a default of the type": `CREATE DOMAIN ref AS int DEFAULT 0;
			CREATE TABLE c (id int PRIMARY KEY, m_id ref NOT NULL REFERENCES m ON DELETE SET DEFAULT);`,
		"a trigger": `CREATE TABLE c (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE SET NULL);
			CREATE FUNCTION zero() RETURNS trigger
				LANGUAGE plpgsql AS 'BEGIN NEW.m_id := coalesce(NEW.m_id, 0); RETURN NEW; END';
			CREATE TRIGGER zero BEFORE UPDATE ON c FOR EACH ROW EXECUTE FUNCTION zero();`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, parents+child+"INSERT INTO c VALUES (11, 1), (12, 2)",
				`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
					then: [{delete: {cascades: [c]}}]}}`)
			hold(t, in, "'c', '11', 'case'")
			in.Run("p", noon)
			want := []string{"(11,1)", "(12,0)"}
			if diff := cmp.Diff(want, in.Rows("SELECT id, m_id FROM c ORDER BY id")); diff != "" {
				t.Errorf("referencing rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"(0)", "(1)"}, in.Rows("SELECT id FROM m ORDER BY id")); diff != "" {
				t.Errorf("referenced rows (-want +got):\n%s", diff)
			}
		})
	}
}
