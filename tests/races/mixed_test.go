package races

import (
	"strings"
	"testing"
)

// TestRowsThatManyThingsKeep checks batches in which a guard fails for row 7 and keeps row 12, a
// trigger refuses rows 3 and 8 and keeps row 25, a hold keeps row 22, and another session has
// locked row 31. The run takes all other rows, and counts each of these once.
func TestRowsThatManyThingsKeep(t *testing.T) {
	t.Parallel()
	const triggers = `
		CREATE TABLE sig (m_id int NOT NULL);
		CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF OLD.id IN (3, 8) THEN RAISE EXCEPTION 'row % stays', OLD.id; END IF;
			RETURN CASE WHEN OLD.id <> 25 THEN OLD END;
		END $$;
		CREATE TRIGGER keep BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION keep();`
	for name, table := range map[string]string{
		"key":    tableM,
		"no key": strings.Replace(tableM, "id int PRIMARY KEY", "id int NOT NULL", 1),
		"partitions": strings.Replace(tableM, "DEFAULT 0);", `DEFAULT 0) PARTITION BY HASH (id);
			CREATE TABLE m0 PARTITION OF m FOR VALUES WITH (MODULUS 3, REMAINDER 0);
			CREATE TABLE m1 PARTITION OF m FOR VALUES WITH (MODULUS 3, REMAINDER 1);
			CREATE TABLE m2 PARTITION OF m FOR VALUES WITH (MODULUS 3, REMAINDER 2);`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, table+triggers, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id) OR 1 / (t.id - 7) > 100"}
    then: [delete]
    batch: {lock_timeout: 50ms}`)
			s.Exec(t, "INSERT INTO sig VALUES (12)")
			if err := s.Operator(`SELECT retention.place_hold('m', '{"id": 22}', 'case 7')`); err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{60, 7} {
				s.refill(60)
				s.SetBatch(size)
				s.appExec("BEGIN; SELECT FROM m WHERE id = 31 FOR UPDATE")
				s.run("p").mustSucceed()
				s.wantLeft(3, 7, 8, 12, 22, 25, 31)
				s.wantRun("p", counts{State: "done", Taken: 53, Refused: 3, Contended: 1,
					Kept: map[string]int64{"signal": 1, "hold": 1, "trigger": 1}})
				s.appExec("ROLLBACK")
			}
		})
	}
}

// TestRowsOfTwoPasses checks rows that are due for two reasons. Some of them are kept, refused,
// held or locked. The run counts each of these once.
func TestRowsOfTwoPasses(t *testing.T) {
	t.Parallel()
	const schema = `ALTER TABLE m ADD exp timestamptz; CREATE TABLE sig (m_id int NOT NULL);
		CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`
	for name, due := range map[string]string{
		"clock": "{age: {column: at, older_than: 7 days}}",
		"rank":  `{beyond: {first: 1, per: [v], order: "at"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, schema, `{table: m, due: {any: [{expires: {column: exp}}, `+due+`]},
				keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id) OR 1 / (t.id - 7) > 100"},
				then: [delete], batch: {lock_timeout: 50ms}}`)
			s.Exec(t, "INSERT INTO sig VALUES (12)")
			if err := s.Operator(`SELECT retention.place_hold('m', '{"id": 22}', 'case 7')`); err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{60, 7} {
				s.refill(60)
				s.Exec(t, "UPDATE m SET exp = '2024-02-01' WHERE id < 30; INSERT INTO child VALUES (3), (8), (43)")
				s.SetBatch(size)
				s.appExec("BEGIN; SELECT FROM m WHERE id = 31 FOR UPDATE")
				s.run("p").mustSucceed()
				s.wantLeft(3, 7, 8, 12, 22, 31, 43)
				s.wantRun("p", counts{State: "done", Taken: 53, Refused: 4, Contended: 1,
					Kept: map[string]int64{"signal": 1, "hold": 1}})
				s.appExec("ROLLBACK")
			}
		})
	}
}
