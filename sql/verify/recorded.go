package verifysql

import (
	_ "embed" // for relations.json
	"encoding/json"
	"sync"
)

// Fact is a property of a relation of the runtime, as relation_facts.sql returns it: a column, a
// constraint, an index and so on.
type Fact struct {
	Relation string `json:"relation"`
	Kind     string `json:"kind"`
	Name     string `json:"name,omitempty"`
	Text     string `json:"text"`
}

// Record lists the relations of a fresh install of this version of the runtime. Each major version
// of PostgreSQL prints the queries of views differently, so Queries has one entry per version. For
// other versions, the queries are unknown.
type Record struct {
	Facts   []Fact            `json:"facts"`
	Queries map[string][]Fact `json:"queries"` // of views, by major version
}

//go:embed relations.json
var recorded []byte

// Recorded reads relations.json, which a test writes.
var Recorded = sync.OnceValue(func() (r Record) {
	if err := json.Unmarshal(recorded, &r); err != nil {
		panic(err)
	}
	return r
})
