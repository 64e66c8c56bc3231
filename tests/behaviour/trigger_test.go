package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// replies is a table that counts the rows of another one in its own, as a trigger tells it.
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

// A trigger keeps a row: what is written of rows that go says nothing of it, at no run, and the row is counted as
// refused. Where a row goes another way before its delete, nothing was kept.
func TestTriggerKeepsARow(t *testing.T) {
	t.Parallel()
	const daily = `insert: {into: daily, key: {day: "t.at::date"}, add: {n: "count(*)"}}`
	for name, c := range map[string]struct {
		keeps, then string
		guarded     bool
	}{
		"before":              {"RETURN NULL", daily + ", delete", true},
		"after":               {"RETURN NULL", "delete, " + daily, true},
		"in shape RANGE":      {"RETURN NULL", daily + ", delete", false},
		"after an update":     {"RETURN NULL", daily + `, update: {set: {replies: "7"}}, delete`, true},
		"beside related rows": {"RETURN NULL", `delete: {table: reply, as: r, where: "r.m_id = t.id"}, delete, ` + daily, true},
		"written instead":     {"UPDATE m SET replies = -1 WHERE id = OLD.id; RETURN NULL", daily + ", delete", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keep := ""
			if c.guarded {
				keep = `keep: {none: "EXISTS (SELECT FROM old WHERE old.id = t.id)"}, `
			}
			in := kit.Install(t, strings.Replace(replies, "REFERENCES m", "", 1)+`
				CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
				BEGIN IF OLD.id IN (5, 27) THEN `+c.keeps+`; END IF; RETURN OLD; END $$;
				CREATE TRIGGER veto BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION veto()`,
				"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, "+keep+"triggers: [veto], then: ["+c.then+"]}}")
			in.SetBatch(10)
			for range 2 {
				if o := in.Done("p", noon); o.Refused != 2 {
					t.Errorf("%d rows were refused, want 2", o.Refused)
				}
			}
			if diff := cmp.Diff([]int{5, 27, 41}, ids(t, in)); diff != "" {
				t.Errorf("rows left (-want +got):\n%s", diff)
			}
			if left := pgtest.Column[int](t, in, "SELECT m_id FROM reply ORDER BY 1"); strings.Contains(c.then, "reply") && !cmp.Equal([]int{5, 27, 41}, left) {
				t.Errorf("replies of %v are left", left)
			}
			want := pgtest.Column[string](t, in, "SELECT at::date || ' ' || count(*) FROM n WHERE id NOT IN (5, 27) GROUP BY at::date ORDER BY 1")
			if diff := cmp.Diff(want, pgtest.Column[string](t, in, "SELECT day || ' ' || n FROM daily ORDER BY 1")); diff != "" {
				t.Errorf("the roll-up (-want +got):\n%s", diff)
			}
		})
	}
}

// A step wakes a trigger that writes the rows of the batch: they go all the same, are written of once, and as they were judged.
func TestTriggerWritesOwnRows(t *testing.T) {
	t.Parallel()
	const daily = `insert: {into: daily, key: {day: "t.at::date"}, add: {n: "count(*)"}}`
	const archive = "archive: {into: old}"
	for name, c := range map[string]struct{ trigger, then string }{
		"delete of related rows": {"AFTER DELETE ON reply",
			daily + `, delete: {table: reply, as: r, where: "r.m_id = t.id"}, ` + archive + ", delete"},
		"delete that cascades": {"AFTER DELETE ON note",
			daily + `, delete: {table: reply, as: r, where: "r.m_id = t.id", cascades: [note]}, ` + archive + ", delete"},
		"update of related rows": {"AFTER UPDATE ON reply",
			daily + `, update: {table: reply, as: r, where: "r.m_id = t.id", set: {hidden: "true", m_id: "NULL"}}, ` + archive + ", delete"},
		"insert": {"AFTER INSERT OR UPDATE ON daily", daily + `, ` + archive + `, delete: {cascades: [reply]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema, function := replies, "fewer"
			switch name {
			case "insert":
				function = "fewer_each_day"
				schema += "ALTER TABLE reply DROP CONSTRAINT reply_m_id_fkey, ADD FOREIGN KEY (m_id) REFERENCES m ON DELETE CASCADE;"
			case "delete that cascades":
				schema += "CREATE TABLE note (m_id int, reply_id int PRIMARY KEY REFERENCES reply ON DELETE CASCADE); INSERT INTO note SELECT m_id, id FROM reply;"
			}
			in := kit.Install(t, schema+"CREATE TRIGGER tell "+c.trigger+" FOR EACH ROW EXECUTE FUNCTION "+function+"()",
				"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, triggers: [tell], then: ["+c.then+"]}}")
			if name != "insert" { // whose trigger writes rows of other batches too
				in.SetBatch(15)
			}
			for range 2 {
				in.Done("p", noon)
			}
			if diff := cmp.Diff([]int{41}, ids(t, in)); diff != "" {
				t.Errorf("rows left (-want +got):\n%s", diff)
			}
			const rows = "SELECT concat_ws(' ', id, at, replies) FROM "
			if diff := cmp.Diff(pgtest.Column[string](t, in, rows+"n ORDER BY id"), pgtest.Column[string](t, in, rows+"old ORDER BY id")); diff != "" {
				t.Errorf("the archive (-want +got):\n%s", diff)
			}
			want := pgtest.Column[string](t, in, "SELECT at::date || ' ' || count(*) FROM n GROUP BY at::date ORDER BY 1")
			if diff := cmp.Diff(want, pgtest.Column[string](t, in, "SELECT day || ' ' || n FROM daily ORDER BY 1")); diff != "" {
				t.Errorf("the roll-up (-want +got):\n%s", diff)
			}
		})
	}
}

// The queries of triggers and foreign keys keep their plans from row to row where one statement takes the rows: made anew
// for each row they take as long as the deletes themselves.
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
	if diff := cmp.Diff([]string{"auto", "auto", "auto"}, pgtest.Column[string](t, in, "SELECT mode FROM seen")); diff != "" {
		t.Errorf("plan_cache_mode in a trigger (-want +got):\n%s", diff)
	}
}
