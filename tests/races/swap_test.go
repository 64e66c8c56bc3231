package races

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestSchemaIsReplacedDuringABatch replaces the schema of the tables by another schema of the same
// name, between the recheck and the steps of a batch. No lock on a table prevents that. The batch
// has not rechecked the rows of the new tables, so these rows must stay.
func TestSchemaIsReplacedDuringABatch(t *testing.T) {
	t.Parallel()
	const tables = `CREATE TABLE %.m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE %.part (id int PRIMARY KEY, m_id int);
		INSERT INTO %.m SELECT i, $ FROM generate_series(1, 30) i;
		INSERT INTO %.part SELECT i, i FROM generate_series(1, 30) i;`
	for name, then := range map[string]string{
		"update":  "update: {set: {at: as_of}}",
		"related": "delete: {table: app.part, as: c, where: c.m_id = t.id}, delete",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, tableM+`
				CREATE TABLE log (id int);
				CREATE TRIGGER gate AFTER INSERT ON log FOR EACH ROW WHEN (NEW.id = 15)
				EXECUTE FUNCTION gate_keeper(); CREATE SCHEMA app; CREATE SCHEMA next;`+
				strings.NewReplacer("%", "app", "$",
					"timestamptz '2024-01-01'").Replace(tables)+
				strings.NewReplacer("%", "next", "$", fresh).Replace(tables),
				`policies: {p: {table: app.m, due: {age: {column: at, older_than: 7 days}},
					then: [{insert: {into: log, set: {id: id}}}, `+then+`], batch: {lock_timeout: 100s}}}`)
			s.useRowByRow()
			s.Exec(t, `
				GRANT USAGE ON SCHEMA next TO retention_worker, retention_owner;
				GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA next TO retention_worker`)
			s.shutGate()
			k := s.run("p")
			k.mustWait()
			s.appExec("SET ROLE " + kit.Migrator + "; BEGIN; ALTER SCHEMA app RENAME TO last; ALTER SCHEMA next " +
				"RENAME TO app; COMMIT; RESET ROLE")
			s.openGate()
			k.wait()
			got := pgtest.Column[int](t, s.watch, "SELECT (SELECT count(*) FROM app.m WHERE at = "+
				fresh+") UNION ALL SELECT count(*) FROM app.part")
			if diff := cmp.Diff([]int{30, 30}, got); diff != "" {
				t.Errorf("numbers of rows that were not due (-want +got):\n%s\n%+v", diff, s.Last("p"))
			}
		})
	}
}
