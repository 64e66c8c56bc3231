package generator

import (
	"slices"

	"pgretain/internal/catalog"
)

// belowData is what the template "lock below" reads: which rows are locked before those that go are judged,
// so that nobody moves a held row below them meanwhile. Whoever makes a row refer to another one has FOR KEY
// SHARE on that; the rows that go are locked themselves, so that it is about those between.
// https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS
type belowData struct {
	Schema       string
	Far          sqlText // the tables more than one foreign key away: without holds there nothing is locked
	Levels       []level
	Table, Alias sqlText   // the rows that go
	Those        []sqlText // which they are
}

// level is a table between, with the way back from its rows to those that go.
type level struct {
	hop
	Back  []hop
	Match []sqlText
}

// lockBelow locks level by level: below a locked row there are no new ones. It is "" where no row is more than one
// foreign key away.
func (w *work) lockBelow(table *catalog.Table, alias sqlText, those []sqlText) sqlText {
	d := belowData{Schema: w.schema(), Table: qualified(table), Alias: alias, Those: those}
	var far []string
	between, _ := w.between(table)
	for _, path := range between {
		hops, match := w.hopsAlong(path, table, alias)
		d.Levels = append(d.Levels, level{hops[0], hops[1:], match})
	}
	if len(d.Levels) == 0 {
		return ""
	}
	for _, path := range w.cascadePaths(table) {
		if len(path) > 1 {
			far = with(far, w.root(path[len(path)-1].Table))
		}
	}
	d.Far = textArray(far)
	return fragment("lock below", d)
}

// between are the paths to tables between the rows that go and others that go or change with them, and those
// tables.
func (c *compiler) between(table *catalog.Table) (paths [][]catalog.ForeignKey, names []string) {
	all := c.cascadePaths(table)
	for _, path := range all {
		if slices.ContainsFunc(all, func(other []catalog.ForeignKey) bool { return goesOn(path, other) }) {
			paths, names = append(paths, path), with(names, c.root(path[len(path)-1].Table))
		}
	}
	return paths, names
}

// goesOn says whether a path leads further along another one.
func goesOn(path, further []catalog.ForeignKey) bool {
	return len(further) > len(path) && slices.EqualFunc(path, further[:len(path)], func(a, b catalog.ForeignKey) bool {
		return a.Name == b.Name && a.Table == b.Table && a.RefTable == b.RefTable
	})
}

// lockedBelow are the tables between of all deletes of the policy, by their names.
func (w *work) lockedBelow() []string {
	var names []string
	for _, name := range w.deletedTables() {
		if table := w.tableNamed(name); table != nil {
			_, between := w.between(table)
			for _, n := range between {
				names = with(names, n)
			}
		}
	}
	return names
}
