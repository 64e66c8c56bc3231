package races

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// markSchema has tables that a policy deletes from, reads, copies to and reaches by a foreign key.
// All 30 rows of table m are due. The guard keeps rows 21 to 24.
const markSchema = `
	CREATE SCHEMA tools; GRANT USAGE ON SCHEMA tools TO PUBLIC;
	CREATE FUNCTION tools.plain(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0, note text);
	CREATE INDEX m_at ON m (at);
	CREATE TABLE sig (m_id int NOT NULL);
	CREATE TABLE part (id int PRIMARY KEY, m_id int CONSTRAINT part_m REFERENCES m ON DELETE CASCADE);
	CREATE TABLE attic (id int, at timestamptz, v int, note text, run_id bigint);
	CREATE TABLE n (id int PRIMARY KEY);
	CREATE SCHEMA other;
	INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute', i FROM generate_series(1, 30) i;
	INSERT INTO part SELECT i, i FROM generate_series(1, 30) i;
	INSERT INTO sig SELECT generate_series(21, 24)`

const markPolicies = `
policies:
  p:
    table: m
    where: "v >= 0 AND lower(note) IS DISTINCT FROM 'keep' AND tools.plain(v)"
    due: {age: {column: at, older_than: 7 days}}
    keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}
    then:
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [part]}`

// stopped means that the run must not take another row.
const stopped = "tripped"

// changeBetweenBatches is a change that somebody commits between two batches of a run, with the
// state in which the run must end.
type changeBetweenBatches struct {
	before, change, end string
	kept                []int // rows that the new state keeps besides rows 21 to 24, if the run ends "done"
}

var changesBetweenBatches = map[string]changeBetweenBatches{
	"column dropped":            {"", "ALTER TABLE m DROP COLUMN note", stopped, nil},
	"column renamed":            {"", "ALTER TABLE m RENAME note TO remark", stopped, nil},
	"column of another type":    {"", "ALTER TABLE m ALTER v TYPE bigint", stopped, nil},
	"column with a collation":   {"", `ALTER TABLE m ALTER note TYPE text COLLATE "C"`, stopped, nil},
	"clock without time zone":   {"", "ALTER TABLE m ALTER at TYPE timestamp", stopped, nil},
	"column not in the archive": {"", "ALTER TABLE m ADD more int", stopped, nil},
	"column of the archive":     {"", "ALTER TABLE attic DROP COLUMN note", stopped, nil},
	"column of the guard":       {"", "ALTER TABLE sig ALTER m_id TYPE bigint", stopped, nil},
	"table in another schema":   {"", "ALTER TABLE m SET SCHEMA other", stopped, nil},
	"table renamed":             {"", "ALTER TABLE m RENAME TO gone", stopped, nil},
	"archive renamed":           {"", "ALTER TABLE attic RENAME TO gone", stopped, nil},
	"guard's table renamed":     {"", "ALTER TABLE sig RENAME TO gone", stopped, nil},
	"guard's table is a view": {"", "ALTER TABLE sig RENAME TO gone; CREATE VIEW sig AS SELECT * FROM gone WHERE false",
		stopped, nil},
	"schema renamed":     {"", "ALTER SCHEMA tools RENAME TO gone", stopped, nil},
	"function dropped":   {"", "DROP FUNCTION tools.plain(int)", stopped, nil},
	"child of the table": {"", "CREATE TABLE child () INHERITS (m)", stopped, nil},
	"child of the part":  {"", "CREATE TABLE child () INHERITS (part)", "done", nil},
	"attached as a partition": {"", "CREATE TABLE root (LIKE m) PARTITION BY RANGE (at); " +
		"ALTER TABLE root ATTACH PARTITION m DEFAULT; UPDATE retention.install SET protect = '{public.root}'", stopped,
		nil},
	"cascade to another table":  {"", "CREATE TABLE child (m_id int REFERENCES m ON DELETE CASCADE)", stopped, nil},
	"SET NULL in another table": {"", "CREATE TABLE child (m_id int REFERENCES m ON DELETE SET NULL)", stopped, nil},
	"cascade from the part":     {"", "CREATE TABLE child (id int REFERENCES part ON DELETE CASCADE)", stopped, nil},
	"foreign key dropped":       {"", "ALTER TABLE part DROP CONSTRAINT part_m", stopped, nil},
	"foreign key off":           {"", "ALTER TABLE m DISABLE TRIGGER ALL", stopped, nil},
	"rule on delete":            {"", "CREATE RULE r AS ON DELETE TO m DO INSTEAD NOTHING", stopped, nil},
	"rule on the archive":       {"", "CREATE RULE r AS ON INSERT TO attic DO INSTEAD DELETE FROM n", stopped, nil},
	"rule on the part":          {"", "CREATE RULE r AS ON DELETE TO part DO INSTEAD DELETE FROM n", stopped, nil},
	"rule enabled": {"CREATE RULE r AS ON DELETE TO m DO INSTEAD NOTHING; ALTER TABLE m DISABLE RULE r",
		"ALTER TABLE m ENABLE RULE r", stopped, nil},
	"archive unlogged":           {"", "ALTER TABLE attic SET UNLOGGED", stopped, nil},
	"table protected":            {"", "UPDATE retention.install SET protect = '{public.m}'", stopped, nil},
	"part protected":             {"", "UPDATE retention.install SET protect = '{public.part}'", stopped, nil},
	"owner of the table":         {"", "ALTER TABLE m OWNER TO tick_eve", stopped, nil},
	"owner of the archive":       {"", "ALTER TABLE attic OWNER TO tick_eve", stopped, nil},
	"owner of the guard's table": {"", "ALTER TABLE sig OWNER TO tick_eve", stopped, nil},
	"owner of the schema":        {"", "ALTER SCHEMA tools OWNER TO tick_eve", stopped, nil},
	"owner of the function":      {"", "ALTER FUNCTION tools.plain(int) OWNER TO tick_eve", stopped, nil},
	"CREATE of an outsider":      {"", "GRANT CREATE ON SCHEMA public TO tick_eve", stopped, nil},
	"TRIGGER of an outsider":     {"", "GRANT TRIGGER ON part TO tick_eve", stopped, nil},
	"REFERENCES of an outsider":  {"", "GRANT REFERENCES (id) ON m TO tick_eve", stopped, nil},
	"trigger": {"", "CREATE TRIGGER t BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION eve.t()", stopped,
		nil},
	"trigger of the statement": {"", "CREATE TRIGGER t AFTER DELETE ON m EXECUTE FUNCTION eve.t()", stopped, nil},
	"trigger of the archive": {"", "CREATE TRIGGER t BEFORE INSERT ON attic FOR EACH ROW EXECUTE FUNCTION eve.t()",
		stopped, nil},
	"trigger of the part": {"", "CREATE TRIGGER t AFTER DELETE ON part FOR EACH ROW EXECUTE FUNCTION eve.t()",
		stopped, nil},
	"deferred trigger": {"", "CREATE CONSTRAINT TRIGGER t AFTER DELETE ON m DEFERRABLE INITIALLY DEFERRED " +
		"FOR EACH ROW EXECUTE FUNCTION eve.t()", stopped, nil},
	"trigger's function": {"CREATE FUNCTION tools.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'; " +
		"CREATE TRIGGER t BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION tools.t()",
		"ALTER FUNCTION tools.t() OWNER TO tick_eve", stopped, nil},
	"expression index":       {"", "CREATE INDEX ON m ((eve.f(v)))", stopped, nil},
	"partial index":          {"", "CREATE INDEX ON attic (id) WHERE eve.f(1) = 1", stopped, nil},
	"statistics":             {"", "CREATE STATISTICS s ON (eve.f(v)), at FROM m", stopped, nil},
	"check of the archive":   {"", "ALTER TABLE attic ADD CHECK (eve.f(v) = v) NOT VALID", stopped, nil},
	"default of the archive": {"", "ALTER TABLE attic ADD more int DEFAULT eve.f(1)", stopped, nil},
	"operator in public": {"", "CREATE OPERATOR public.>= (FUNCTION = eve.two, LEFTARG = int, RIGHTARG = int)", stopped,
		nil},
	"function in public": {"", "CREATE FUNCTION public.lower(varchar) RETURNS text LANGUAGE sql AS 'SELECT NULL'",
		stopped, nil},
	"function moved to public": {"", "ALTER FUNCTION eve.lower SET SCHEMA public", stopped, nil},
	"function renamed in public": {"CREATE FUNCTION public.lowest(varchar) RETURNS text LANGUAGE sql AS 'SELECT NULL'",
		"ALTER FUNCTION public.lowest RENAME TO lower", stopped, nil},
	"member of the owner": {"CREATE ROLE :db_friend IN ROLE retention_owner; ALTER TABLE sig OWNER TO :db_friend; " +
		"GRANT SELECT, UPDATE ON sig TO retention_worker", "REVOKE retention_owner FROM :db_friend", stopped, nil},
	"superuser": {"CREATE ROLE :db_friend SUPERUSER; ALTER TABLE sig OWNER TO :db_friend; " +
		"GRANT SELECT, UPDATE ON sig TO retention_worker", "ALTER ROLE :db_friend NOSUPERUSER", stopped, nil},
	"role that is trusted": {"CREATE ROLE :db_friend; UPDATE retention.install SET trust = '{:db_friend}'; " +
		"ALTER TABLE sig OWNER TO :db_friend; GRANT SELECT, UPDATE ON sig TO retention_worker",
		"UPDATE retention.install SET trust = '{}'", stopped, nil},
	"trusted role renamed": {"CREATE ROLE :db_friend; UPDATE retention.install SET trust = '{:db_friend}'; " +
		"ALTER TABLE sig OWNER TO :db_friend; GRANT SELECT, UPDATE ON sig TO retention_worker",
		"ALTER ROLE :db_friend RENAME TO :db_other", stopped, nil},
	"search path":     {"", "UPDATE retention.install SET search_path = 'eve, public'", stopped, nil},
	"damaged hold":    {"", "SELECT retention.place_hold('public.n', '1', 'x'); DROP TABLE n", stopped, nil},
	"half an upgrade": {"", "UPDATE retention.install SET runtime_version = '0'", "paused", nil},
	"paused":          {"", "SELECT retention.pause('p', 'test')", "paused", nil},
	"policy changed":  {"", "UPDATE retention.policy SET hash = 'another' WHERE name = 'p'", "more", nil},

	"guard's row":      {"", "INSERT INTO sig VALUES (12)", "done", []int{12}},
	"clock of a row":   {"", "UPDATE m SET at = now() WHERE id = 13", "done", []int{13}},
	"row of condition": {"", "UPDATE m SET note = 'KEEP' WHERE id = 14", "done", []int{14}},
	"body of a function": {"", "CREATE OR REPLACE FUNCTION tools.plain(int) RETURNS boolean LANGUAGE sql IMMUTABLE " +
		"AS 'SELECT $1 <> 15'", "done", []int{15}},
	"hold":                            {"", "SELECT retention.place_hold('public.m', '16', 'x')", "done", []int{16}},
	"hold of the part":                {"", "SELECT retention.place_hold('public.part', '17', 'x')", "done", []int{17}},
	"index":                           {"", "CREATE INDEX ON sig (m_id)", "done", nil},
	"column of a guard's table added": {"", "ALTER TABLE sig ADD more int", "done", nil},
	"trigger of a trusted role": {"CREATE FUNCTION tools.t() RETURNS trigger " +
		"LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
		"CREATE TRIGGER t BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION tools.t()", "done", nil},
	"table re-created": {"", "ALTER TABLE sig RENAME TO gone; CREATE TABLE sig (LIKE gone); " +
		"GRANT SELECT, UPDATE ON sig TO retention_worker; ALTER TABLE sig OWNER TO kit_migrator; " +
		"INSERT INTO sig SELECT generate_series(20, 24)", "done", []int{20}},
	"objects elsewhere": {"", "CREATE TABLE unrelated (id int); CREATE FUNCTION other.lower(varchar) RETURNS text " +
		"LANGUAGE sql AS 'SELECT NULL'", "done", nil},
}

// TestChangeBetweenBatches commits a change between two batches of a run. The run then ends as the
// table says. A run that stops takes no more rows. No code of an untrusted role runs.
func TestChangeBetweenBatches(t *testing.T) {
	t.Parallel()
	clone := kit.Install(t, markSchema, markPolicies, kit.Before(tickBefore)).Clones(t, markPolicies)
	for name, c := range changesBetweenBatches {
		for _, mode := range []string{"one statement", "row by row"} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				in := clone(t)
				in.SetBatch(5)
				if mode == "row by row" {
					in.Exec(t, "UPDATE retention.policy SET passes = passes #- '{0,range}'")
				}
				c.between(t, in)
			})
		}
	}
}

// between commits the change between two batches of a run and checks how the run ends.
func (c changeBetweenBatches) between(t *testing.T, in *kit.Installed) {
	names := strings.NewReplacer(":db", "mark_"+in.Name[len(in.Name)-10:]) // roles of this database
	in.Exec(t, names.Replace(c.before))
	runner := in.Runner()
	run := pgtest.Value[int64](t, runner, `SELECT s.run_id
		FROM retention._begin(('p', '`+asOf+`', NULL, NULL, NULL, NULL, false, NULL)) s`)
	step := func() bool { return pgtest.Value[bool](t, runner, "SELECT s.going FROM retention._step($1) s", run) }
	step() // the start
	step() // the first batch
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.vouched"); n != 1 {
		t.Error("the run stored no mark; so this test proves nothing")
	}
	called := pgtest.Value[int](t, in, foreignCalls)
	for statement := range strings.SplitSeq(names.Replace(c.change), "; ") {
		in.Exec(t, statement)
	}
	planted := pgtest.Value[int](t, in, foreignCalls) // CREATE INDEX calls functions
	for n := 0; n < 40 && step(); n++ {
	}
	if o := in.Last("p"); o.State != c.end {
		t.Errorf("the run ended %s (%s), want %s", o.State, o.Message, c.end)
	}
	if after := pgtest.Value[int](t, in, foreignCalls); after != planted || called != 0 {
		t.Errorf("untrusted code ran %d times", called+after-planted)
	}
	want := numbers(6, 30)
	if c.end == "done" {
		want = append(slices.Clone(c.kept), 21, 22, 23, 24)
	}
	if c.change == "ALTER TABLE m SET SCHEMA other" {
		in.Exec(t, "ALTER TABLE other.m SET SCHEMA public")
	} else if strings.HasPrefix(c.change, "ALTER TABLE m RENAME TO gone") {
		in.Exec(t, "ALTER TABLE gone RENAME TO m")
	}
	if diff := cmp.Diff(want, pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY id")); diff != "" {
		t.Errorf("rows of m left (-want +got):\n%s", diff)
	}
}

// TestGuardSwapStorm exchanges the guard's table with another table while runs are in progress. A
// trigger notes each deleted row that the table with the guard's name keeps at that moment.
func TestGuardSwapStorm(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"one statement", "row by row"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, markSchema+`;
				CREATE TABLE sig2 (LIKE sig); INSERT INTO sig2 SELECT generate_series(1, 600, 7);
				CREATE TABLE wrong (id int);
				CREATE FUNCTION tools.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
				BEGIN
					INSERT INTO public.wrong SELECT OLD.id WHERE EXISTS (SELECT FROM public.sig WHERE m_id = OLD.id);
					RETURN OLD;
				END $$;
				CREATE TRIGGER note BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION tools.note();
				INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute', i
				FROM generate_series(31, 600) i`, markPolicies)
			s.Exec(t, "GRANT SELECT, UPDATE ON sig2 TO retention_worker")
			if mode == "row by row" {
				s.useRowByRow()
			}
			swaps := 0
			for range 8 {
				for run := s.run("p"); !run.ended(); swaps++ {
					s.appExec(`DO $$ BEGIN
						ALTER TABLE sig RENAME TO sig1;
						ALTER TABLE sig2 RENAME TO sig;
						ALTER TABLE sig1 RENAME TO sig2;
					END $$`)
				}
			}
			s.Done("p", asOf)
			if wrong := s.ids("wrong"); len(wrong) > 0 {
				t.Errorf("rows %v were deleted, although the guard's table kept them", wrong)
			}
			if taken := 600 - len(s.ids("m")); taken < 100 || swaps < 8 {
				t.Errorf("%d rows were taken during %d swaps; so this test proves nothing", taken, swaps)
			}
		})
	}
}

// TestForeignTriggerStorm creates and drops a trigger of an untrusted role while runs are in
// progress. The trigger's function must never run. Without the trigger, a run takes all rows.
func TestForeignTriggerStorm(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, markSchema, markPolicies, kit.Before(tickBefore))
	s.SetBatch(2)
	s.useRowByRow()
	ended := map[string]int{}
	for range 12 {
		s.Exec(t, `INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute', i
			FROM generate_series(1, 20) i ON CONFLICT DO NOTHING`)
		run := s.run("p")
		for !run.ended() {
			s.appExec("CREATE TRIGGER t BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION eve.t()")
			s.appExec("DROP TRIGGER t ON m")
		}
		ended[s.Last("p").State]++
	}
	if n := pgtest.Value[int](t, s, foreignCalls); n > 0 {
		t.Errorf("untrusted code ran %d times", n)
	}
	if ended["tripped"] == 0 {
		t.Errorf("runs ended %v, none of them tripped; so this test proves nothing", ended)
	}
	s.Done("p", asOf)
	s.wantLeft(21, 22, 23, 24)
}
