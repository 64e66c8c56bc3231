package generator

import (
	"slices"
	"strings"

	"pgretain/policy"
)

// ranked is a rank on the alias t.
type ranked struct {
	Name     sqlText // of the relation that holds the places
	First    int64
	Count    *countText // instead of First: a number from data
	WithTies bool
	Order    []orderItem
	Keys     []groupKey
	Rows     []sqlText // which rows have a place
	Table    sqlText
	columns  bool // every key and every item of the order is a plain column that an index can hold
	source   *policy.Rank
	InGroup  *ranked // the same where the group is known, as g.k1 and so on: itself unless it reads what ranks keep
}

// countText is a number that an expression gives, row by row.
type countText struct {
	Value                 sqlText
	Never                 []sqlText
	ZeroDue               bool
	Else, AtLeast, AtMost *int64 // nil for none
}

// orderItem is one item of ORDER BY, on t.
type orderItem struct {
	Expr       sqlText
	Descending bool
	NullsFirst bool
	column     string
}

// groupKey is one item of "per", on t. Number starts at 1. Groups are formed by Expr: an expression goes by its text.
type groupKey struct {
	Number  int
	Expr    sqlText
	Column  ident // "" for an expression
	Type    sqlText
	NotNull bool
}

// MayBeRow says whether its values may be rows, which IS NULL takes for NULL where all their columns are.
func (k groupKey) MayBeRow() bool { return mayBeRow(string(k.Type)) }

// rankOf compiles a rank. Its rows are those of "where", narrowed by "among", whose first order
// item is not NULL. Joins are sub-selects here: a rank looks at more rows than a batch joins.
func (w *pageWriter) rankOf(source *policy.Rank, name sqlText) *ranked {
	defer w.restored()()
	w.binder.scalars = w.scalarJoins
	r := w.rankTexts(source, name)
	r.InGroup = r
	if len(r.Keys) > 0 && !slices.ContainsFunc(r.Keys, func(k groupKey) bool { return k.Column == "" }) {
		w.binder.verdict = func(guard string) sqlText { return w.verdictInGroup(guard, r.Keys) }
		r.InGroup = w.rankTexts(source, name)
	}
	w.ranks = append(w.ranks, r)
	return r
}

func (w *pageWriter) rankTexts(source *policy.Rank, name sqlText) *ranked {
	r := &ranked{Name: name, First: source.First, WithTies: source.WithTies, Table: qualified(w.table), columns: true, source: source}
	if w.policy.Where != nil {
		r.Rows = append(r.Rows, enclosed(w.bind(*w.policy.Where)))
	}
	if source.Among != nil {
		r.Rows = append(r.Rows, enclosed(w.bind(*source.Among)))
	}
	w.compileOrder(r)
	for i, per := range source.Per {
		r.Keys = append(r.Keys, w.keyOf(r, per, i+1))
	}
	if n := source.Count; n != nil {
		r.Count = &countText{Value: enclosed(w.bind(*n.Value)), Else: n.Else, AtLeast: n.AtLeast, AtMost: n.AtMost,
			ZeroDue: n.AtLeast != nil && *n.AtLeast == 0, Never: each(n.NeverValues, w.bind)}
	}
	return r
}

// verdictInGroup is guardVerdict for the rows of one group: a rank whose groups lie within it looks at no others.
func (w *pageWriter) verdictInGroup(name string, keys []groupKey) sqlText {
	for _, g := range w.guards {
		if string(g.Name) != name || g.Rank == nil || !g.Rank.within(keys) {
			continue
		}
		inner := w.rankTexts(g.Rank.source, g.Rank.Name)
		inner.Rows = append(inner.Rows, matches(keys)...)
		return fragment("ranked within", inner)
	}
	return w.guardVerdict(name)
}

// within says whether all rows of a group of r are in one group by these keys.
func (r *ranked) within(keys []groupKey) bool {
	return !slices.ContainsFunc(keys, func(k groupKey) bool {
		return !slices.ContainsFunc(r.Keys, func(own groupKey) bool { return own.Column == k.Column })
	})
}

// compileOrder compiles the order, made total unless ties count as one.
func (w *pageWriter) compileOrder(r *ranked) {
	for i, item := range r.source.Order {
		expr := w.bind(item.Expr)
		column := w.columnOf(item.Expr)
		r.columns = r.columns && column != "" && !w.table.Column(column).Virtual
		if i == 0 && (column == "" || !w.notNull(column)) {
			name := "is not null"
			if column != "" && mayBeRow(w.table.Column(column).Type) {
				name = "row is not null"
			}
			r.Rows = append(r.Rows, fragment(name, enclosed(expr)))
		}
		r.Order = append(r.Order, orderItem{Expr: expr, Descending: item.Descending, NullsFirst: item.NullsFirst, column: column})
	}
	if !r.WithTies {
		r.Order = w.withKey(r.Order)
	}
}

// withKey makes an order total with the primary key, in the direction of its last item.
func (w *pageWriter) withKey(order []orderItem) []orderItem {
	total := slices.Clone(order)
	descending := order[len(order)-1].Descending
	for _, name := range w.table.PrimaryKey {
		if !slices.ContainsFunc(total, func(item orderItem) bool { return item.column == name }) {
			total = append(total, orderItem{Expr: aliased("t", ident(name)), Descending: descending, NullsFirst: descending, column: name})
		}
	}
	return total
}

// mayBeRow says whether values of a type may be rows, which IS NULL takes for NULL where all their columns are.
func mayBeRow(typ string) bool { return strings.Contains(typ, ".") }

// columnOf is the column that an expression is, "" when it is more than a column.
func (w *pageWriter) columnOf(e policy.Expr) string {
	parsed := w.parse(e)
	if len(parsed.Columns) != 1 || parsed.Columns[0].Star {
		return ""
	}
	ref := parsed.Columns[0]
	name := ref.Fields[len(ref.Fields)-1]
	length := nameLength(e.SQL)
	if len(ref.Fields) == 2 && ref.Fields[0] == "t" {
		length = qualifiedLength(e.SQL)
	}
	if ref.Offset != 0 || length != len(e.SQL) || w.table.Column(name) == nil {
		return ""
	}
	return name
}

func (w *pageWriter) keyOf(r *ranked, per policy.Expr, number int) groupKey {
	expr := w.bind(per)
	name := w.columnOf(per)
	if name == "" {
		r.columns = false
		return groupKey{Number: number, Expr: fragment("as text", expr), Type: "text"}
	}
	column := w.table.Column(name)
	w.needOperators(column, per.Position)
	r.columns = r.columns && !column.Virtual
	return groupKey{Number: number, Expr: expr, Column: ident(name), Type: sqlText(column.Type), NotNull: column.NotNull}
}

// matches tie the keys of t to those of the relation g of a batch's groups.
func matches(keys []groupKey) []sqlText {
	return each(keys, func(k groupKey) sqlText { return fragment("of group", k) })
}

// RowsOfGroup are the rows of a group, g.
func (r *ranked) RowsOfGroup() []sqlText {
	return append(slices.Clone(r.InGroup.Rows), matches(r.Keys)...)
}

// byThreshold says whether the rows past the first ones of a group are those from a row on, in an order of columns that
// are compared as one: what the statement locks is then checked once more by itself.
func (w *pageWriter) byThreshold(r *ranked) bool {
	if r.Count != nil || r.WithTies || len(r.Keys) == 0 || len(w.guards) > 0 || len(w.policy.Scope) > 0 || w.ownDelete == nil {
		return false
	}
	if r.source.Among != nil && !w.readsOwnColumns(*r.source.Among) ||
		slices.ContainsFunc(r.Keys, func(k groupKey) bool { return k.Column == "" || !k.NotNull }) {
		return false
	}
	for i, item := range r.Order {
		if item.column == "" || item.Descending != r.Order[0].Descending || i > 0 && !w.notNull(item.column) {
			return false
		}
	}
	return true
}

// ranksBy are the columns by which ranks group and order rows: with NULL in them, which a NOT NULL excludes, they would be
// written otherwise.
func (w *pageWriter) ranksBy() []string {
	var columns []string
	for _, r := range w.ranks {
		for _, k := range r.Keys {
			columns = append(columns, string(k.Column))
		}
		for _, item := range r.Order[:len(r.source.Order)] {
			columns = append(columns, item.column)
		}
	}
	return columns
}
