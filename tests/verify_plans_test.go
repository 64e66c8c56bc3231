package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/messages"
	verifysql "pgretain/sql/verify"
	"pgretain/tests/pgtest"
)

// plansGiven replaces _plans by a function that returns prepared plans in EXPLAIN's format. The
// table m has an inheritance child, because verify asks only for plans of such tables.
const plansGiven = `
	CREATE SCHEMA retention;
	CREATE TABLE m ();
	CREATE TABLE c () INHERITS (m);
	CREATE TABLE retention.plan (policy text, plan json);
	CREATE FUNCTION retention._plans(
		p text[], s boolean, OUT policy text, OUT batch text, OUT plan json, OUT code text, OUT message text)
	RETURNS SETOF record LANGUAGE sql AS '
		SELECT x.policy, ''b'', x.plan, NULL, NULL FROM retention.plan x WHERE x.policy = ANY (p)'`

// TestAstray checks which nodes of a plan verify reports because they read more rows than the batch
// needs.
func TestAstray(t *testing.T) {
	t.Parallel()
	conn := pgtest.Database(t).Conn(t)
	pgtest.Exec(t, conn, plansGiven)
	const ours = `{"Node Type": "Index Only Scan", "Relation Name": "m", "Alias": "t_1", ` +
		`"Index Name": "ours", "Index Cond": "(at > $1)"}`
	const upTo = `"Node Type": "Index Scan", "Relation Name": "m", "Alias": "t", ` +
		`"Index Name": "ours", "Index Cond": "(ROW(at, id) <= ROW($0, $1))"`
	const other = `"Node Type": "Index Scan", "Relation Name": "m", "Alias": "t", ` +
		`"Index Name": "state", "Index Cond": "(state = 'done'::text)"`
	const whole = `"Node Type": "Index Scan", "Relation Name": "m", "Alias": "t", "Index Name": "ours"`
	boundary := func(below string) string {
		return `{"Node Type": "Limit", "Parent Relationship": "InitPlan", ` +
			`"Subplan Name": "CTE boundary", "Plans": [` + below + `]}`
	}
	sorted := func(kind, below string) string { return `{"Node Type": "` + kind + `", "Plans": [` + below + `]}` }
	for name, c := range map[string]struct {
		plan       string
		want, none int // nodes that read too many rows, and nodes without a usable index
	}{
		"as it should be": {`{` + upTo + `, "Plans": [` + boundary(ours) + `]}`, 0, 0},
		"partitions in their order": {`{` + upTo + `, "Plans": [` +
			boundary(sorted("Merge Append", ours+","+ours)) + `]}`, 0, 0},
		"sorted as far as needed": {`{` + upTo + `, "Plans": [` + boundary(sorted("Incremental Sort", ours)) + `]}`,
			0, 0},
		"sorted whole": {`{` + upTo + `, "Plans": [` +
			boundary(sorted("Sort", sorted("Append", ours))) + `]}`, 1, 1},
		"sorted for something else": {`{` + upTo + `, "Plans": [` +
			boundary(sorted("Sort", sorted("Nested Loop", ours))) + `]}`, 0, 0},
		"the whole table": {`{"Node Type": "Seq Scan", "Relation Name": "m", "Alias": "t"}`, 1, 1},
		"another table": {`{` + upTo + `, "Plans": [` +
			`{"Node Type": "Seq Scan", "Relation Name": "g", "Alias": "g"}]}`, 0, 0},
		"on another server": {`{"Node Type": "Foreign Scan", "Relation Name": "m", "Alias": "t_2"}`, 0, 0},
		"by another index":  {`{` + other + `, "Plans": [` + boundary(ours) + `]}`, 1, 0},
		"all of an index":   {`{` + whole + `, "Plans": [` + boundary(ours) + `]}`, 1, 0},
		"no plan at all":    {`{"Node Type": "Result"}`, 0, 0},
	} {
		pgtest.Exec(t, conn, "INSERT INTO retention.plan VALUES ($1, $2)", name, fmt.Sprintf(`[{"Plan": %s}]`, c.plan))
		var list []struct {
			Astray, Sorted bool
			ByIndex        *bool `json:"by_index"`
		}
		text := pgtest.Value[string](t, conn, verifysql.Query("plans", "retention"), []string{name},
			[]string{"public.m"}, nil)
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		got, none := 0, 0
		for _, a := range list {
			if a.Astray {
				got++
			}
			if a.ByIndex != nil && (!*a.ByIndex || a.Sorted) {
				none++
			}
		}
		if got != c.want || none != c.none {
			t.Errorf("%s: %d nodes read too many rows, %d have no index; want %d and %d",
				name, got, none, c.want, c.none)
		}
	}
}

// TestNotPlanned checks the finding for each kind of error while a batch is planned: an error of
// the policy, a timeout, or another error. No case of testdata/drift causes the last two.
func TestNotPlanned(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	db.Exec(t, "CREATE SCHEMA retention; CREATE TABLE retention.policy (name text, passes jsonb)")
	conn := db.Conn(t)
	for code, want := range map[string]string{
		"42703": `V024  batches of policy "p" cannot be planned ` +
			`SELECT batch, plan FROM retention._plans(ARRAY['p'], true);`,
		"55P03": `V091 unknown checking the plans of policy "p" took too long `,
		"53200": `V090 unknown could not check how batches of policy "p" find their rows ` +
			`SELECT batch, plan FROM retention._plans(ARRAY['p'], true);`,
		"PR004": ``,
	} {
		answer := fmt.Sprintf(`[{"n": 1, "policy": "p", "batch": "b", "code": %q, "message": "no", "astray": false}]`,
			code)
		rows, _ := conn.Query(t.Context(), verifysql.Query("plan_findings", "retention"), []string{"p"}, []int{1},
			answer, "[]")
		list, err := pgx.CollectRows(rows, pgx.RowToStructByName[messages.Plan])
		if err != nil {
			t.Fatal(err)
		}
		got, detail := "", "The server says: no ["+code+"]."
		for _, plan := range list {
			f := messages.NotPlanned("p", "retention", plan)
			got, detail = fmt.Sprintf("%s %s %s %s", f.Code, f.Severity, f.Message, f.Hint), f.Detail
		}
		if got != want || detail != "The server says: no ["+code+"]." {
			t.Errorf("got %q, %q; want %q", got, detail, want)
		}
	}
}
