package verifysql

import (
	_ "embed" // for relations.json
	"encoding/json"
	"sync"
)

// Fact is one of relation_facts: a column, a constraint, an index, ... of a relation of the
// runtime.
type Fact struct {
	Relation string `json:"relation"`
	Kind     string `json:"kind"`
	Name     string `json:"name,omitempty"`
	Text     string `json:"text"`
}

// Record is what a fresh install of this version of the runtime consists of. PostgreSQL prints the
// queries of views in another way with each major version: of those that are not here they are not
// known.
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
