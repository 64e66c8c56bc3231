package verifier

import (
	"encoding/json"
	"regexp"
	"strings"
)

// planNode is a node of a plan, as EXPLAIN (FORMAT JSON) prints it.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Alias    string     `json:"Alias"`
	Index    string     `json:"Index Name"`
	Cond     string     `json:"Index Cond"`
	As       string     `json:"Parent Relationship"`
	Subplan  string     `json:"Subplan Name"`
	Rows     float64    `json:"Plan Rows"`
	Plans    []planNode `json:"Plans"`
}

// access is how a plan reads the policy's table, or a table that belongs to it.
type access struct {
	Relation, Index string
	Scan            string  // the type of the node
	Cond            string  // where it begins and ends in the index
	Rows            float64 // how many PostgreSQL reckons with
	Sorted          bool    // what it reads is sorted afterwards, whole
	Boundary        bool    // it looks for where a batch ends; otherwise for the rows up to there
}

// accesses lists how a plan reads the rows that generated statements call t.
func accesses(text string) ([]access, error) {
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return nil, err
	}
	var list []access
	for _, p := range plans {
		p.Plan.visit(access{}, func(a access) { list = append(list, a) })
	}
	return list, nil
}

// row is what EXPLAIN calls t: with a number, where t stands in a statement more than once or has
// partitions.
var row = regexp.MustCompile(`^t(_\d+)?$`)

// keepOrder are the nodes that hand on what they read in its order; others read it for reasons of their own.
var keepOrder = map[string]bool{
	"Append": true, "Merge Append": true, "Gather": true, "Gather Merge": true, "Limit": true, "LockRows": true,
	"Result": true, "Subquery Scan": true, "WindowAgg": true, "Incremental Sort": true,
}

func (n planNode) visit(above access, found func(access)) {
	above.Boundary = above.Boundary || strings.HasPrefix(n.Subplan, "CTE ")
	if n.As == "InitPlan" || n.As == "SubPlan" {
		above.Sorted = false
	}
	if n.Relation != "" && row.MatchString(n.Alias) {
		found(access{n.Relation, n.Index, n.Type, n.Cond, n.Rows, above.Sorted, above.Boundary})
	}
	above.Sorted = n.Type == "Sort" || above.Sorted && keepOrder[n.Type]
	for _, below := range n.Plans {
		below.visit(above, found)
	}
}

// byIndex says whether an index leads there; what is on another server is none of ours.
func (a access) byIndex() bool {
	return strings.HasPrefix(a.Scan, "Index") || a.Scan == "Foreign Scan"
}
