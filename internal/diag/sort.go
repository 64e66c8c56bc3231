package diag

import (
	"cmp"
	"slices"
)

// Sort orders l by file, line and column; at one place by code and words.
func (l List) Sort() { slices.SortStableFunc(l, Compare) }

// Compare is the order of Sort.
func Compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Position.File, b.Position.File),
		cmp.Compare(a.Position.Line, b.Position.Line),
		cmp.Compare(a.Position.Column, b.Position.Column),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Detail, b.Detail),
	)
}

// Unique is l sorted and without repetitions, which YAML aliases and shared defaults cause.
func (l List) Unique() List {
	unique := slices.Clone(l)
	unique.Sort()
	return slices.Compact(unique)
}
