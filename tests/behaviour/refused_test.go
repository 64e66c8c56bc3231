package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// refusingSchema has a table m, and some rows refuse to be deleted or archived. The function
// one_by_one does in plain SQL what a policy does, for one row after the other, and leaves the rows
// that raise an error. It returns what a run counts.
const refusingSchema = `
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, until timestamptz, v int NOT NULL,
		g int GENERATED ALWAYS AS (id % 5) STORED);
	CREATE TABLE flag (m_id int PRIMARY KEY);
	CREATE TABLE child (m_id int CONSTRAINT child_key REFERENCES m);
	CREATE TABLE bound (m_id int CONSTRAINT bound_key REFERENCES m DEFERRABLE INITIALLY DEFERRED);
	CREATE TABLE late (id serial, m_id int CONSTRAINT late_key REFERENCES m DEFERRABLE INITIALLY DEFERRED);
	CREATE TABLE note (id serial, m_id int REFERENCES m ON DELETE CASCADE);
	CREATE TABLE r (id serial, m_id int);
	CREATE TABLE gone (id int PRIMARY KEY, at timestamptz, until timestamptz, v int, g int, run_id bigint);
	CREATE TABLE log (id int, v int CHECK (v <> 13));
	CREATE TABLE seen (id int, late bigint);
	CREATE INDEX ON child (m_id); CREATE INDEX ON bound (m_id); CREATE INDEX ON late (m_id);
	CREATE INDEX ON note (m_id); CREATE INDEX ON r (m_id);
	CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
	BEGIN
		IF OLD.v = 5 THEN RETURN NULL; END IF;
		RAISE 'not this one';
	END $$;
	CREATE TRIGGER no BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.v IN (5, 7)) EXECUTE FUNCTION no();
	-- Sees the rows of table late that a later step deletes.
	CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
	BEGIN
		INSERT INTO seen SELECT OLD.id, count(*) FROM late l WHERE l.m_id = OLD.id;
		RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER see AFTER DELETE ON m DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION see();

	CREATE FUNCTION fill(seed float, many boolean) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		TRUNCATE m, flag, child, bound, late, note, r, gone, log, seen CASCADE;
		PERFORM setseed(seed);
		INSERT INTO m (id, at, until, v) SELECT i, '2024-01-01'::timestamptz + i / 3 * interval '1 minute',
			CASE WHEN i % 2 = 0 THEN '2024-01-01'::timestamptz + i * 7919 % 600 * interval '1 minute' END,
			CASE (random() * 40)::int WHEN 1 THEN 13 WHEN 2 THEN 7 WHEN 3 THEN 5 ELSE 0 END
			FROM generate_series(1, 300) i;
		INSERT INTO child SELECT id FROM m WHERE random() < 0.01 OR id BETWEEN 200 AND 215 OR id IN (1, 64, 300);
		INSERT INTO flag SELECT id FROM m WHERE random() < 0.05;
		INSERT INTO bound SELECT id FROM m WHERE random() < 0.01 OR id IN (65, 128);
		INSERT INTO note (m_id) SELECT id FROM m, generate_series(1, 3) WHERE random() < 0.5;
		IF many THEN
			INSERT INTO late (m_id) SELECT id FROM m, generate_series(1, 2) WHERE random() < 0.5;
			INSERT INTO gone SELECT id FROM m WHERE random() < 0.02;
			INSERT INTO r (m_id) SELECT id FROM m, generate_series(1, 2) WHERE random() < 0.5;
		END IF;
	END $$;
	CREATE FUNCTION one_by_one(policy text) RETURNS jsonb LANGUAGE plpgsql AS $$
	DECLARE x m; many CONSTANT boolean := policy = 'many'; n int; was jsonb;
		taken int := 0; refused int := 0; kept int := 0;
	BEGIN
		was := (SELECT jsonb_build_object('public.log', (SELECT count(*) FROM log), 'public.gone',
			(SELECT count(*) FROM gone), 'public.r', (SELECT count(*) FROM r), 'public.late',
			(SELECT count(*) FROM late), 'public.note', (SELECT count(*) FROM note)));
		FOR x IN SELECT * FROM m WHERE policy <> 'ranked'
			OR (SELECT count(*) FROM m o WHERE o.g = m.g AND o.id > m.id) >= 9 ORDER BY at, id LOOP
			CONTINUE WHEN policy = 'one' AND EXISTS (SELECT FROM flag f WHERE f.m_id = x.id);
			BEGIN
				IF many THEN
					INSERT INTO log VALUES (x.id, x.v);
					INSERT INTO gone VALUES (x.*);
					DELETE FROM r WHERE m_id = x.id;
				END IF;
				DELETE FROM m WHERE id = x.id;
				GET DIAGNOSTICS n = ROW_COUNT;
				IF many THEN
					IF n = 0 THEN RAISE 'the row stays'; END IF;
					DELETE FROM late WHERE m_id = x.id;
				END IF;
				SET CONSTRAINTS ALL IMMEDIATE;
				SET CONSTRAINTS bound_key, late_key DEFERRED;
				taken := taken + n; kept := kept + 1 - n;
			EXCEPTION WHEN OTHERS THEN refused := refused + 1;
			END;
		END LOOP;
		RETURN jsonb_build_object('taken', taken, 'refused', refused, 'kept', kept, 'related',
			(SELECT jsonb_object_agg(w.key, abs(w.value::int - n.n)) FROM (VALUES
				('public.log', (SELECT count(*) FROM log)), ('public.gone', (SELECT count(*) FROM gone)),
				('public.r', (SELECT count(*) FROM r)), ('public.late', (SELECT count(*) FROM late))) n (key, n)
				JOIN jsonb_each_text(was) w USING (key) WHERE many),
			'cascaded', (was ->> 'public.note')::int - (SELECT count(*) FROM note));
	END $$;`

const refusingPolicies = `policies:
  one:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep: {flag: "EXISTS (SELECT FROM flag f WHERE f.m_id = t.id)"}
    then: [{delete: {cascades: [note]}}]
  ranked: {table: m, due: {beyond: {first: 9, per: [g], order: id DESC}}, then: [{delete: {cascades: [note]}}]}
  passes:
    table: m
    due: {any: [{expires: {column: until}}, {age: {column: at, older_than: 7 days}}]}
    then: [{delete: {cascades: [note]}}]
  many:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then:
      - insert: {into: log, set: {id: id, v: v}}
      - archive: {into: gone, set: {run_id: run.id}}
      - delete: {table: r, as: r, where: "r.m_id = t.id"}
      - delete: {cascades: [note]}
      - delete: {table: late, as: l, where: "l.m_id = t.id"}
`

// TestRefusedRowsAsOneByOne checks that a run takes exactly the rows that plain SQL takes one by
// one, and that all its counts agree. The sizes of batches put refused rows everywhere in them.
func TestRefusedRowsAsOneByOne(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, refusingSchema, refusingPolicies)
	for _, policy := range []string{"one", "passes", "ranked", "many"} {
		for i, rows := range []int{16, 5000} {
			name := fmt.Sprintf("policy %s, batches of %d", policy, rows)
			in.Exec(t, "SELECT fill($1, $2)", 0.1*float64(i), policy == "many")
			want, counts := refusedOneByOne(t, in, policy)
			in.SetBatch(rows)
			if _, err := in.Call("CALL retention.run($1, $2, dry_run => true)", policy, noon); err != nil {
				t.Fatalf("%s: the dry run ended with %v", name, err)
			}
			if got := countsOf(in.Last(policy)); got != counts {
				t.Errorf("%s: the dry run counts\n%s\nwant\n%s", name, got, counts)
			}
			o := in.Done(policy, noon)
			if diff := cmp.Diff(want, refusedContent(in)); diff != "" {
				t.Errorf("%s: rows differ (-want +got):\n%s", name, diff)
			}
			if got := countsOf(o); got != counts {
				t.Errorf("%s: the run counts\n%s\nwant\n%s", name, got, counts)
			}
			if all := o.Taken + o.Refused + o.Kept["trigger"] + o.Kept["flag"]; o.Scanned != all && policy != "passes" {
				t.Errorf("%s: the run has read %d rows and counts %d", name, o.Scanned, all)
			}
			sum := pgtest.Value[string](t, in, `SELECT concat(sum(taken), ' ', sum(refused)) FROM retention.batch
				WHERE run_id = $1`, o.ID)
			if want := fmt.Sprint(o.Taken, " ", o.Refused); sum != want {
				t.Errorf("%s: the batches have %s rows taken and refused, want %s", name, sum, want)
			}
		}
	}
}

// oneByOne is what one_by_one counts.
type oneByOne struct {
	Taken, Refused, Kept, Cascaded int64
	Related                        map[string]int64
}

func countsOf(o kit.Outcome) string {
	return fmt.Sprintf("taken %d refused %d kept %d related %v cascaded %d", o.Taken, o.Refused, o.Kept["trigger"],
		o.Related, o.Cascaded["public.note"])
}

// refusedOneByOne returns the content of all tables after one_by_one, and what that counts. It
// undoes all changes.
func refusedOneByOne(t *testing.T, in *kit.Installed, policy string) (content map[string][]string, counts string) {
	t.Helper()
	in.Exec(t, "BEGIN")
	c := pgtest.Value[oneByOne](t, in, "SELECT one_by_one($1)", policy)
	content = refusedContent(in)
	in.Exec(t, "ROLLBACK")
	if c.Related == nil {
		c.Related = map[string]int64{}
	}
	return content, fmt.Sprintf("taken %d refused %d kept %d related %v cascaded %d", c.Taken, c.Refused, c.Kept,
		c.Related, c.Cascaded)
}

func refusedContent(in *kit.Installed) map[string][]string {
	content := map[string][]string{}
	for _, table := range []string{"m", "child", "bound", "late", "note", "r", "log", "seen"} {
		content[table] = in.Rows("SELECT * FROM " + table)
	}
	content["gone"] = in.Rows("SELECT id, at, until, v, g FROM gone")
	return content
}
