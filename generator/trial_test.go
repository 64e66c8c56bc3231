package generator

import (
	"strings"
	"testing"

	"pgretain/policy"
)

// TestCompileTrial checks that a trial replaces the name of the runtime's schema where it names the
// schema, and nowhere else. Constants, quoted names, columns and joins with this name stay.
func TestCompileTrial(t *testing.T) {
	t.Parallel()
	file, list := policy.Parse("retention.yaml", []byte(`version: 1
policies:
  p:
    table: app.note
    join:
      retention: {table: app.owner, where: retention.id = t.owner_id}
      once: {query: "SELECT max(id) AS id FROM Retention . event", where: "true"}
    where: >-
      state <> 'retention.x' AND state <> $$retention.x$$ AND state <> E'\'retention.x' AND retention.enabled
      AND NOT EXISTS (SELECT FROM (SELECT 'b' AS "retention.x", 1 AS retention) AS x, RETENTION."event"
      WHERE retention.event.kind = state AND count(retention.event.*) = x.retention AND "retention.x" = state)
      AND made_at < as_of - retention . Window_of('p') AND 'retention.event'::regclass <> state::"retention".kind
    then: [delete]
`))
	if len(list) > 0 {
		t.Fatal(list)
	}
	objects, list := CompileTrial(file, commonSnapshot(t), nil, "pg_temp_3", nil)
	if len(list) > 0 {
		t.Fatal(list)
	}
	want := map[string]string{
		"pg_temp_3.p_rows(pg_temp_3.batch_range)": "LEFT JOIN app.owner retention ON (retention.id = t.owner_id)\n",
		"pg_temp_3.p_once": "CREATE TABLE pg_temp_3.p_once AS\n" + // no temporary table is unlogged
			"SELECT q.* FROM (SELECT max(id) AS id FROM pg_temp_3 . event) q\n",
		"pg_temp_3.batch_range": "CREATE TYPE pg_temp_3.batch_range AS",
	}
	const where = `WHERE (t.state <> 'retention.x' AND t.state <> $$retention.x$$ AND t.state <> E'\'retention.x' ` +
		`AND retention.enabled AND NOT EXISTS (SELECT FROM (SELECT 'b' AS "retention.x", 1 AS retention) AS x, ` +
		`pg_temp_3."event" WHERE pg_temp_3.event.kind = state AND count(pg_temp_3.event.*) = x.retention ` +
		`AND "retention.x" = state) AND t.made_at < ($1).as_of - pg_temp_3 . Window_of('p') ` +
		`AND 'pg_temp_3.event'::regclass <> t.state::pg_temp_3.kind)` + "\n"
	for _, o := range objects {
		if !strings.Contains(o.SQL, want[o.Name]) || strings.HasSuffix(o.Name, ".p_rows(pg_temp_3.batch_range)") &&
			!strings.Contains(o.SQL, where) {
			t.Errorf("the trial creates\n%s\nwant it to contain\n%s\n%s", o.SQL, want[o.Name], where)
		}
		delete(want, o.Name)
	}
	if len(want) > 0 {
		t.Errorf("the trial lacks the objects %v", want)
	}
}
