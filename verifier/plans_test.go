package verifier

import (
	"fmt"
	"testing"

	"pgretain/generator"
)

// Where a plan goes astray, by the nodes that EXPLAIN prints.
func TestAstray(t *testing.T) {
	t.Parallel()
	const ours = `{"Node Type": "Index Only Scan", "Relation Name": "m", "Alias": "t_1", "Index Name": "ours", "Index Cond": "(at > $1)"}`
	const upTo = `"Node Type": "Index Scan", "Relation Name": "m", "Alias": "t", "Index Name": "ours", "Index Cond": "(ROW(at, id) <= ROW($0, $1))"`
	boundary := func(below string) string {
		return `{"Node Type": "Limit", "Parent Relationship": "InitPlan", "Subplan Name": "CTE boundary", "Plans": [` + below + `]}`
	}
	sorted := func(kind, below string) string { return `{"Node Type": "` + kind + `", "Plans": [` + below + `]}` }
	for name, c := range map[string]struct {
		plan       string
		want, none int // accesses that go astray, and those to which no index leads
	}{
		"as it should be":            {`{` + upTo + `, "Plans": [` + boundary(ours) + `]}`, 0, 0},
		"partitions in their order":  {`{` + upTo + `, "Plans": [` + boundary(sorted("Merge Append", ours+","+ours)) + `]}`, 0, 0},
		"sorted as far as needed":    {`{` + upTo + `, "Plans": [` + boundary(sorted("Incremental Sort", ours)) + `]}`, 0, 0},
		"sorted whole":               {`{` + upTo + `, "Plans": [` + boundary(sorted("Sort", sorted("Append", ours))) + `]}`, 1, 1},
		"sorted for something else":  {`{` + upTo + `, "Plans": [` + boundary(sorted("Sort", sorted("Nested Loop", ours))) + `]}`, 0, 0},
		"the whole table":            {`{"Node Type": "Seq Scan", "Relation Name": "m", "Alias": "t"}`, 1, 1},
		"another table's business":   {`{` + upTo + `, "Plans": [{"Node Type": "Seq Scan", "Relation Name": "g", "Alias": "g"}]}`, 0, 0},
		"on another server":          {`{"Node Type": "Foreign Scan", "Relation Name": "m", "Alias": "t_2"}`, 0, 0},
		"up to there by another one": {`{"Node Type": "Index Scan", "Relation Name": "m", "Alias": "t", "Index Name": "state", "Index Cond": "(state = 'done'::text)", "Plans": [` + boundary(ours) + `]}`, 1, 0},
		"all of an index":            {`{"Node Type": "Index Scan", "Relation Name": "m", "Alias": "t", "Index Name": "ours", "Plans": [` + boundary(ours) + `]}`, 1, 0},
		"no plan at all":             {`{"Node Type": "Result"}`, 0, 0},
	} {
		p := batchPlan{Plan: fmt.Sprintf(`[{"Plan": %s}]`, c.plan)}
		if got, none := len(p.astray()), len(p.impossible()); got != c.want || none != c.none {
			t.Errorf("%s: %d astray, %d without an index, want %d and %d", name, got, none, c.want, c.none)
		}
	}
}

// What keeps a batch from being planned is a lack of the policy, of time, or of something else; no case trips the last two.
func TestNotPlanned(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"42703": `V024 drift batches of policy "p" cannot be planned SELECT batch, plan FROM retention._plans(ARRAY['p'], true);`,
		"55P03": `V091 unknown checking the plans of policy "p" took too long `,
		"53200": `V090 unknown could not check how batches of policy "p" find their rows SELECT batch, plan FROM retention._plans(ARRAY['p'], true);`,
	} {
		v := &inspection{report: &Report{}}
		v.install.Schema = "retention"
		v.notPlanned(generator.Object{Name: "p", Policy: "p"}, batchPlan{Code: code, Message: "no"})
		f := v.report.Findings[0]
		if got := fmt.Sprintf("%s %s %s %s", f.Code, f.Severity, f.Message, f.Hint); got != want || f.Detail != "The server says: no ["+code+"]." {
			t.Errorf("got %q, %q; want %q", got, f.Detail, want)
		}
	}
}
