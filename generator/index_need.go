package generator

import (
	"slices"

	"pgretain/internal/catalog"
)

// IndexNeed is an order in which a policy goes through its table by an index that was there before: the
// table's own, so that it may go again.
type IndexNeed struct {
	Table   string // "schema.name"
	Index   string // that serves in the catalog snapshot, "" for none
	Primary bool   // the primary key
	Columns []NeededColumn
}

// NeededColumn is one column of the order.
type NeededColumn struct {
	Name       string
	Descending bool
	NullsFirst bool
	Equal      bool // compared by equality only: its direction does not matter
}

// ServedBy says whether an index begins with the columns, read forwards or backwards; for a column that
// cannot be NULL the placement of NULLs does not matter.
func (n IndexNeed) ServedBy(index catalog.Index, notNull func(column string) bool) bool {
	return index.Method == "btree" && index.Valid && index.Predicate == "" && len(index.Columns) >= len(n.Columns) &&
		(n.readBy(index, notNull, false) || n.readBy(index, notNull, true))
}

func (n IndexNeed) readBy(index catalog.Index, notNull func(string) bool, backwards bool) bool {
	for i, c := range n.Columns {
		switch {
		case c.Name == "" || index.Columns[i] != c.Name:
			return false
		case c.Equal:
		case index.Descending[i] != (c.Descending != backwards):
			return false
		case !notNull(c.Name) && index.NullsFirst[i] != (c.NullsFirst != backwards):
			return false
		}
	}
	return true
}

func (w *work) need(items []indexItem) IndexNeed {
	need := IndexNeed{Table: tableName(w.table)}
	for _, item := range items {
		need.Columns = append(need.Columns, NeededColumn{item.column, item.descending, item.nullsFirst, item.equal})
	}
	i := slices.IndexFunc(w.table.Indexes, func(index catalog.Index) bool { return need.ServedBy(index, w.notNull) })
	if i >= 0 {
		need.Index, need.Primary = w.table.Indexes[i].Name, w.table.Indexes[i].Primary
	}
	return need
}

func (w *work) notNull(column string) bool { return w.table.Column(column).NotNull }

// served says whether an index that the database had before begins with items. Indexes that earlier
// migrations built do not count: they are wanted already.
func (w *work) served(items []indexItem) bool { return w.need(items).Index != "" }

// needs are the orders for which the policy relies on the table's own indexes.
func (w *work) needs() []IndexNeed {
	var list []IndexNeed
	for _, p := range w.passes() {
		items, predicate := w.wantedIndex(p)
		if len(items) == 0 && (p.clock != nil || p.beyond == nil) {
			items = w.keyItems("") // the pass goes by its cursor, the primary key
		}
		need := w.need(items)
		if predicate == "" && need.Index != "" && !slices.ContainsFunc(list, func(n IndexNeed) bool { return slices.Equal(n.Columns, need.Columns) }) {
			list = append(list, need)
		}
	}
	return list
}

// Items are the columns as CREATE INDEX takes them.
func (n IndexNeed) Items() string {
	items := make([]indexItem, len(n.Columns))
	for i, c := range n.Columns {
		items[i] = columnItem(c.Name, c.Descending, c.NullsFirst)
	}
	return string(fragment("index items", indexColumns(items)))
}
