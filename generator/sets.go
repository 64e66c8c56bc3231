package generator

import (
	"regexp"
	"strings"

	"pgretain/policy"
)

// setEntry is what a step sets in rows that are there, as the registry has it. A value is the SQL of one that
// is the same for all rows, null for any other.
type setEntry struct {
	Step   int                `json:"step"`
	Table  string             `json:"table"`
	Set    map[string]*string `json:"set"`
	Worded bool               `json:"worded,omitempty"` // by a statement of the policy's own words
}

// setColumns tells runs and previews what the policy sets: whether a foreign key or a constraint that
// comes later has to do with it.
func (w *work) setColumns() []setEntry {
	list := []setEntry{}
	for _, s := range w.policy.Sets() {
		e := setEntry{s.Step + 1, s.Table.String(), map[string]*string{}, s.Worded}
		for _, a := range s.Set {
			e.Set[a.Column] = constant(a.Value)
		}
		list = append(list, e)
	}
	return list
}

var constantValue = regexp.MustCompile(`(?i)^(?:'(?:[^'\\]|'')*'|-?[0-9]+(?:\.[0-9]+)?|true|false|null|as_of)$`)

func constant(e policy.Expr) *string {
	sql := strings.TrimSpace(e.SQL)
	if !constantValue.MatchString(sql) {
		return nil
	}
	return &sql
}
