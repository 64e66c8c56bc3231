package behaviour

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// quarter creates a table with four partitions. The first three are due at noon.
const quarter = `CREATE TABLE m (id int, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
	CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01') TO ('2024-03-10');
	CREATE TABLE m_4 PARTITION OF m FOR VALUES FROM ('2024-03-10') TO ('2025-01-01');
	INSERT INTO m VALUES (1, '2024-01-15'), (2, '2024-02-15'), (3, '2024-03-05'), (4, '2024-03-15');`

func installQuarter(t *testing.T, schema, rest string) *kit.Installed {
	t.Helper()
	return kit.Install(t, quarter+schema, "policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, "+
		rest+"}}")
}

func wantAttached(t *testing.T, in *kit.Installed, want ...string) {
	t.Helper()
	if got := attached(t, in, "m"); !slices.Equal(got, want) {
		t.Errorf("attached are %v, want %v", got, want)
	}
}

// TestReferredPartitionStays checks that a partition stays if rows of another table refer to it.
// The action ON DELETE of the foreign key makes no difference: nothing cascades.
func TestReferredPartitionStays(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"", "ON DELETE CASCADE", "ON DELETE SET NULL", "DEFERRABLE INITIALLY DEFERRED"} {
		for _, step := range []string{"detach", "drop"} {
			in := installQuarter(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int, m_at date,
				FOREIGN KEY (m_id, m_at) REFERENCES m `+action+`);
				INSERT INTO child VALUES (1, 2, '2024-02-15')`, "then: ["+step+"]")
			if o := in.Done("p", noon); o.Taken != 2 || o.Refused != 1 {
				t.Errorf("%s %s: want a run with taken 2, refused 1; got %+v", step, action, o)
			}
			wantAttached(t, in, "m_2", "m_4")
			if got := in.Rows("TABLE child"); len(got) != 1 || got[0] != "(1,2,2024-02-15)" {
				t.Errorf("%s %s: child has %v, want its row unchanged", step, action, got)
			}
		}
	}
}

// TestStepsBeforeDrop checks that earlier steps may delete the rows that refer to a partition.
// Deferred constraints are checked before the drop.
func TestStepsBeforeDrop(t *testing.T) {
	t.Parallel()
	in := installQuarter(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int, m_at date,
			FOREIGN KEY (m_id, m_at) REFERENCES m DEFERRABLE INITIALLY DEFERRED);
		CREATE TABLE old (id int, month date, PRIMARY KEY (id));
		INSERT INTO child VALUES (1, 1, '2024-01-15'), (2, 2, '2024-02-15'), (4, 4, '2024-03-15')`,
		`then: [delete: {table: child, as: c, where: "c.m_at >= t.lower AND c.m_at < t.upper"},
			sql: "INSERT INTO public.old SELECT p.id, b.lower FROM batch b, public.m p
			WHERE p.at >= b.lower AND p.at < b.upper",
			drop]`)
	if o := in.Done("p", noon); o.Taken != 3 || o.Related["public.child"] != 2 || o.Related["public.old"] != 3 {
		t.Errorf("want a run with taken 3, related rows of public.child 2, related rows of public.old 3; got %+v", o)
	}
	wantAttached(t, in, "m_4")
	if got := in.Rows("TABLE old"); !slices.Equal(got, []string{"(1,2024-01-01)", "(2,2024-02-01)", "(3,2024-03-01)"}) {
		t.Errorf("table old has %v, want a row for each dropped partition", got)
	}
	if got := in.Rows("SELECT id FROM child"); !slices.Equal(got, []string{"(4)"}) {
		t.Errorf("table child has %v, want only row 4", got)
	}
}

// TestViewOfAPartition checks that a view on a partition prevents DROP, but not DETACH.
func TestViewOfAPartition(t *testing.T) {
	t.Parallel()
	in := installQuarter(t, "CREATE VIEW v AS SELECT * FROM m_1", "then: [drop]")
	if o := in.Done("p", noon); o.Taken != 2 || o.Refused != 1 {
		t.Errorf("want a run with taken 2, refused 1; got %+v", o)
	}
	wantAttached(t, in, "m_1", "m_4")
	if why := pgtest.Value[string](t, in, `SELECT message FROM retention.batch
		WHERE refused > 0`); !strings.Contains(why, "view public.v depends on table public.m_1") {
		t.Errorf("the run logged %q, want the view that depends on m_1", why)
	}
	in = installQuarter(t, "CREATE VIEW v AS SELECT * FROM m_1", "then: [detach]")
	in.Done("p", noon)
	wantAttached(t, in, "m_4")
}

func TestHeldPartition(t *testing.T) {
	t.Parallel()
	in := installQuarter(t, "CREATE TABLE was (name text)", `then: [detach, insert: {into: was,
		set: {name: t.name}}, drop]`)
	hold(t, in, "'m', '{\"id\": 2, \"at\": \"2024-02-15\"}', 'case 1'")
	hold(t, in, "'m', '{\"id\": 3, \"at\": \"2024-03-05\"}', 'over'")
	in.Exec(t, "UPDATE retention.hold SET until = '2024-03-31 12:00+00' WHERE reason = 'over'")
	if due, kept := in.Count("p", noon); due != 2 || kept["hold"] != 1 {
		t.Errorf("the preview counts %d due and %v kept partitions, want 2, and 1 by a hold", due, kept)
	}
	if o := in.Done("p", noon); o.Taken != 2 || o.Kept["hold"] != 1 {
		t.Errorf("want a run with taken 2, kept by hold 1; got %+v", o)
	}
	wantAttached(t, in, "m_2", "m_4")
}

func TestProtectedPartition(t *testing.T) {
	t.Parallel()
	in := installQuarter(t, "", "then: [drop]")
	for _, name := range []string{"public.m_2", "public.m"} {
		in.Exec(t, "UPDATE retention.install SET protect = ARRAY[$1]", name)
		if o := in.Run("p", noon); o.State != "tripped" {
			t.Errorf("with %s protected: want a run with state tripped; got %+v", name, o)
		}
		wantAttached(t, in, "m_1", "m_2", "m_3", "m_4")
	}
}

// TestPartitionBounds checks that the breaker and the budget count partitions, not rows.
func TestPartitionBounds(t *testing.T) {
	t.Parallel()
	in := installQuarter(t, "", "then: [drop], breaker: {rows: 2}")
	in.Exec(t, "ANALYZE m")
	if o := in.Run("p", noon); o.State != "tripped" || o.Due == nil || *o.Due != 3 {
		t.Errorf("want a run with state tripped; got %+v", o)
	}
	wantAttached(t, in, "m_1", "m_2", "m_3", "m_4")
	if err := in.Operator("SELECT retention.accept('p', 'meant')"); err != nil {
		t.Fatal(err)
	}
	if o := in.Done("p", noon); o.Taken != 3 {
		t.Errorf("accepted: want a run with taken 3; got %+v", o)
	}

	in = installQuarter(t, "", "then: [drop], budget: {rows: 1}")
	for _, want := range [][]string{{"m_2", "m_3", "m_4"}, {"m_3", "m_4"}, {"m_4"}} {
		if o := in.Run("p", noon); o.State != "more" || o.Taken != 1 {
			t.Errorf("want a run with state more, taken 1; got %+v", o)
		}
		wantAttached(t, in, want...)
	}
}

// TestUnfinishedDetach cancels DETACH CONCURRENTLY before it ends. The partition's rows are
// invisible then, so that a guard cannot see them. The run skips the partition.
func TestUnfinishedDetach(t *testing.T) {
	t.Parallel()
	in := installQuarter(t, "", `keep: {empty: "NOT EXISTS (SELECT FROM partition)"}, then: [drop]`)
	reader, other := in.Conn(t), in.Conn(t)
	pgtest.Exec(t, reader, "BEGIN; SELECT FROM m")
	detached := make(chan error, 1)
	go func() {
		_, err := other.Exec(context.Background(), "ALTER TABLE m DETACH PARTITION m_1 CONCURRENTLY")
		detached <- err
	}()
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = 'm_1'::regclass AND inhdetachpending)")
	in.Exec(t, "SELECT pg_cancel_backend($1::int)", int(other.PgConn().PID()))
	if err := <-detached; err == nil {
		t.Fatal("the detach was not interrupted")
	}
	pgtest.Exec(t, reader, "COMMIT")
	if o := in.Done("p", noon); o.Taken != 2 || o.Kept["detaching"] != 1 {
		t.Errorf("want a run with taken 2, kept by detaching 1; got %+v", o)
	}
	wantAttached(t, in, "m_1", "m_4")
	in.Exec(t, "ALTER TABLE m DETACH PARTITION m_1 FINALIZE")
	if o := in.Done("p", noon); o.Taken != 0 || len(o.Kept) != 0 {
		t.Errorf("want a run with taken 0; got %+v", o)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m_1"); n != 1 {
		t.Errorf("%d rows in the partition that somebody detached, want 1", n)
	}
}

// TestUnreadableBounds checks that a run fails if a partition has bounds that the policy cannot
// evaluate. The error names the partition. The run touches no partition.
func TestUnreadableBounds(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (a date NOT NULL, b int NOT NULL) PARTITION BY RANGE (a, b);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01', MINVALUE) TO ('2024-02-01', MINVALUE);
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01', MINVALUE) TO ('2025-01-01', MINVALUE)`,
		"policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, then: [drop]}}")
	in.Exec(t, "CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2023-01-01', 5) TO ('2023-12-01', 7)")
	if o := in.Run("p", noon); o.State != "failed" || !strings.Contains(o.Message, `partition "public.m_3"`) {
		t.Errorf("want a run with state failed; got %+v", o)
	}
	wantAttached(t, in, "m_1", "m_2", "m_3")
	in.Exec(t, "DROP TABLE m_3")
	in.Done("p", noon)
	wantAttached(t, in, "m_2")
}

// TestPartitionKeyChanged re-creates a table with another partition key. A run must take nothing:
// the policy would look for the rows of a partition by the wrong columns.
func TestPartitionKeyChanged(t *testing.T) {
	t.Parallel()
	const pending = `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}, then: [drop]`
	ranges := func(of string) string {
		return fmt.Sprintf(`;
			CREATE TABLE %[1]s_1 PARTITION OF %[1]s FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
			CREATE TABLE %[1]s_2 PARTITION OF %[1]s FOR VALUES FROM ('2024-03-01') TO ('2024-04-01')`, of)
	}
	const columns, row = `CREATE TABLE m (region text, zone text, at date, seen date,
		state text) `, `;
		INSERT INTO m VALUES ('a', 'b', '2020-01-01', '2024-01-05', 'pending')`
	list := func(of, value, by string) string {
		return fmt.Sprintf("PARTITION BY LIST (%s); CREATE TABLE a PARTITION OF m FOR VALUES IN ('%s') PARTITION BY "+
			"RANGE (%s)", of, value, by) + ranges("a")
	}
	for name, tables := range map[string][2]string{
		"another column": {columns + "PARTITION BY RANGE (at)" + ranges("m"),
			columns + "PARTITION BY RANGE (seen)" + ranges("m") + row},
		"another type": {
			columns + "PARTITION BY RANGE (seen)" + ranges("m"),
			strings.Replace(columns, "seen date", "seen timestamptz", 1) + "PARTITION BY RANGE (seen)" +
				ranges("m") + row,
		},
		"a list above": {columns + "PARTITION BY RANGE (seen)" + ranges("m"),
			columns + list("zone", "b", "seen") + row},
		"another list":            {columns + list("region", "a", "seen"), columns + list("zone", "b", "seen") + row},
		"another column of lists": {columns + list("region", "a", "at"), columns + list("region", "a", "seen") + row},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, tables[0], "policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, "+
				pending+"}}")
			in.Exec(t, "SET ROLE "+kit.Migrator+"; DROP TABLE m; "+
				tables[1]+"; GRANT SELECT ON m TO retention_worker; RESET ROLE")
			if o := in.Run("p", noon); o.State == "done" || o.Taken != 0 {
				t.Errorf("want a run with taken 0; got %+v", o)
			}
			if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != 1 {
				t.Errorf("%d rows are left of 1, want 1", n)
			}
		})
	}
}

// TestPartitionsOfAnotherRole checks that migrating requires membership in the roles that own the
// partitions. The error names the role. A run refuses a partition whose owner was changed later.
func TestPartitionsOfAnotherRole(t *testing.T) {
	t.Parallel()
	const yaml = `install: {scheduler: none, trust: [kit_maker]}
policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, then: [drop]}}`
	in := kit.Prepare(t, quarter+"CREATE TABLE t (id int PRIMARY KEY)", yaml)
	in.Exec(t, pgtest.MakeRole("kit_maker")+`
		GRANT ALL ON SCHEMA public TO kit_maker; ALTER TABLE m_2 OWNER TO kit_maker`)
	in.Generate(t, yaml)
	_, err := in.TryUp(t)
	if err == nil || !strings.Contains(err.Error(), `tables of "kit_maker", who owns m_2`) {
		t.Errorf("the migration ended with %v, want an error that names kit_maker and m_2", err)
	}
	in.Exec(t, "ALTER TABLE m_2 OWNER TO kit_migrator")
	in.Up(t)
	in.Exec(t, "ALTER TABLE m_1 OWNER TO kit_maker") // the run takes the partitions after it
	if o := in.Done("p", noon); o.Taken != 2 || o.Refused != 1 {
		t.Errorf("want a run with taken 2, refused 1; got %+v", o)
	}
	if got := in.Rows("SELECT message FROM retention.batch WHERE refused > 0"); len(got) != 1 ||
		!strings.Contains(got[0], "m_1") {
		t.Errorf("the log has the messages %q, want one about m_1", got)
	}
	wantAttached(t, in, "m_1", "m_4")
}

// TestPartitionsOfOneRole checks partitions with "roles: none" and a window that can be set at run
// time.
func TestPartitionsOfOneRole(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, quarter, `
install: {scheduler: none, roles: none}
policies: {p: {partitions_of: m, due: {age: {older_than: {days: 30, at_least: 7}}}, then: [drop]}}`)
	if o := in.Done("p", noon); o.Taken != 2 {
		t.Errorf("want a run with taken 2; got %+v", o)
	}
	wantAttached(t, in, "m_3", "m_4")
	if _, err := in.Call("CALL retention.run('p', $1, older_than => '7 days')", noon); err != nil {
		t.Fatal(err)
	}
	wantAttached(t, in, "m_4")
}

// TestRefusedPartitions checks that a partition stays if another object depends on it. The run
// takes the other partitions.
func TestRefusedPartitions(t *testing.T) {
	t.Parallel()
	const child = `CREATE TABLE child (id int PRIMARY KEY, m_id int, m_at date,
			CONSTRAINT used FOREIGN KEY (m_id, m_at) REFERENCES m ON DELETE CASCADE);
		INSERT INTO child VALUES (1, 2, '2024-02-15');`
	for name, c := range map[string]struct {
		schema, then string
		refused      int64
	}{
		"nothing":               {"", "drop", 0},
		"a foreign key":         {child, "drop", 1},
		"a foreign key, detach": {child, "detach", 1},
		"a step before": {
			child, `delete: {table: child, as: c, where: "c.m_at >= t.lower AND c.m_at < t.upper"}, drop`, 0,
		},
		"a view":         {"CREATE VIEW v AS SELECT * FROM m_1;", "drop", 1},
		"a view, detach": {"CREATE VIEW v AS SELECT * FROM m_1;", "detach", 0},
		"a key to a partition": {
			"CREATE TABLE one (id int, at date, CONSTRAINT one_only FOREIGN KEY (id, at) REFERENCES m_3);",
			"drop", 1,
		},
		"its own things": {
			`CREATE INDEX ON m (at);
				ALTER TABLE m ADD n serial;
				ALTER TABLE m_2 ADD UNIQUE (n), ADD FOREIGN KEY (id) REFERENCES m_2 (n);
				CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
				CREATE TRIGGER f AFTER INSERT ON m FOR EACH ROW EXECUTE FUNCTION f();`,
			"drop", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := installQuarter(t, c.schema, "then: ["+c.then+"]")
			if o := in.Done("p", noon); o.Refused != c.refused || o.Taken != 3-c.refused {
				t.Errorf("got %+v, want %d refused", o, c.refused)
			}
		})
	}
}
