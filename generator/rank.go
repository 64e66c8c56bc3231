package generator

import (
	"fmt"
	"slices"
	"strconv"

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
	inGroup  *ranked // the same where the group is known, as g.k1 and so on: itself unless it reads what ranks keep
}

// countText is a number that an expression gives, row by row.
type countText struct {
	Value           sqlText
	Never           []sqlText
	ZeroDue         bool
	Else            sqlText
	AtLeast, AtMost sqlText // "" for none
}

// orderItem is one item of ORDER BY, on t. Nulls is set where the placement has to be said.
type orderItem struct {
	Expr       sqlText
	Descending bool
	Nulls      bool
	NullsFirst bool
	column     string
}

// groupKey is one item of "per", on t. Number starts at 1.
type groupKey struct {
	Number    int
	Expr      sqlText
	GroupExpr sqlText // what groups are formed by: an expression goes by its text
	column    string
	Type      string
	notNull   bool
}

func placesName(guard string) sqlText { return sqlText("places_" + guard) }
func beyondName(i int) sqlText        { return sqlText(fmt.Sprintf("places_beyond_%d", i+1)) }

// rankOf compiles a rank. Its rows are those of "where", narrowed by "among", whose first order
// item is not NULL. Joins are sub-selects here: a rank looks at more rows than a batch joins.
func (w *work) rankOf(source *policy.Rank, name sqlText) *ranked {
	r := w.rankTexts(source, name)
	r.inGroup = r
	if !slices.ContainsFunc(r.Keys, func(k groupKey) bool { return k.column == "" }) && len(r.Keys) > 0 {
		saved := w.binder.verdict
		w.binder.verdict = func(guard string) (sqlText, error) { return w.verdictInGroup(guard, r.Keys) }
		r.inGroup = w.rankTexts(source, name)
		w.binder.verdict = saved
	}
	return r
}

func (w *work) rankTexts(source *policy.Rank, name sqlText) *ranked {
	r := &ranked{Name: name, First: source.First, WithTies: source.WithTies, Table: qualified(w.table),
		columns: true, source: source}
	w.withScalars(func() {
		if w.counted != "" {
			r.Rows = append(r.Rows, w.counted)
		}
		if source.Among != nil {
			r.Rows = append(r.Rows, enclosed(w.bind(*source.Among)))
		}
		w.orderOf(r, source)
		for i, per := range source.Per {
			r.Keys = append(r.Keys, w.keyOf(r, per, i+1))
		}
		if source.Count != nil {
			r.Count = w.countOf(source.Count)
		}
	})
	return r
}

// verdictInGroup is guardVerdict for the rows of one group: a rank whose groups lie within it looks at no others.
func (w *work) verdictInGroup(name string, keys []groupKey) (sqlText, error) {
	for _, g := range w.guards {
		if g.name != name || g.rank == nil || !g.rank.within(keys) {
			continue
		}
		inner := w.rankTexts(g.rank.source, g.rank.Name)
		for _, k := range keys {
			inner.Rows = append(inner.Rows, k.match(k.ofGroup()))
		}
		return fragment("ranked within", inner), nil
	}
	return w.guardVerdict(name)
}

// within says whether all rows of a group of r are in one group by these keys.
func (r *ranked) within(keys []groupKey) bool {
	for _, k := range keys {
		if !slices.ContainsFunc(r.Keys, func(own groupKey) bool { return own.column == k.column }) {
			return false
		}
	}
	return true
}

func (w *work) countOf(source *policy.CountData) *countText {
	c := &countText{Value: enclosed(w.bind(source.Value)), Else: numberOrNull(source.Else), ZeroDue: source.AtLeast != nil && *source.AtLeast == 0}
	for _, e := range source.NeverValues {
		c.Never = append(c.Never, w.bind(e))
	}
	if source.AtLeast != nil {
		c.AtLeast = numberOrNull(source.AtLeast)
	}
	if source.AtMost != nil {
		c.AtMost = numberOrNull(source.AtMost)
	}
	return c
}

func numberOrNull(n *int64) sqlText {
	if n == nil {
		return "NULL"
	}
	return sqlText(strconv.FormatInt(*n, 10))
}

// orderOf compiles the order, made total unless ties count as one.
func (w *work) orderOf(r *ranked, source *policy.Rank) {
	for i, item := range source.Order {
		expr := w.bind(item.Expr)
		column := w.columnOf(item.Expr)
		if column == "" || w.table.Column(column).Virtual {
			r.columns = false
		}
		notNull := column != "" && w.table.Column(column).NotNull
		if i == 0 && !notNull {
			r.Rows = append(r.Rows, fragment("is not null", enclosed(expr)))
		}
		r.Order = append(r.Order, orderItem{Expr: expr, Descending: item.Descending,
			Nulls: item.NullsFirst != item.Descending, NullsFirst: item.NullsFirst, column: column})
	}
	if !source.WithTies {
		r.Order = w.withKey(r.Order)
	}
}

// withKey makes an order total with the primary key, in the direction of its last item.
func (w *work) withKey(order []orderItem) []orderItem {
	if len(order) == 0 {
		return order
	}
	total := slices.Clone(order)
	descending := order[len(order)-1].Descending
	for _, name := range w.table.PrimaryKey {
		if !ordersBy(total, name) {
			total = append(total, orderItem{Expr: fragment("t column", ident(name)), Descending: descending, NullsFirst: descending, column: name})
		}
	}
	return total
}

func ordersBy(order []orderItem, column string) bool {
	for _, item := range order {
		if item.column == column {
			return true
		}
	}
	return false
}

// columnOf is the column that an expression is, "" when it is more than a column.
func (w *work) columnOf(e policy.Expr) string {
	parsed, ok := w.parse(e)
	if !ok || len(parsed.parsed.Columns) != 1 {
		return ""
	}
	ref := parsed.parsed.Columns[0]
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

func (w *work) keyOf(r *ranked, per policy.Expr, number int) groupKey {
	expr := w.bind(per)
	name := w.columnOf(per)
	if name == "" {
		r.columns = false
		text := fragment("as text", expr)
		return groupKey{Number: number, Expr: text, GroupExpr: text, Type: "text"}
	}
	column := w.table.Column(name)
	r.columns = r.columns && !column.Virtual
	return groupKey{Number: number, Expr: expr, GroupExpr: expr, column: name, Type: column.Type, notNull: column.NotNull}
}

// match ties a group's key on the alias t to a value.
func (k groupKey) match(value sqlText) sqlText {
	name := "group same"
	switch {
	case k.notNull:
		name = "group equal"
	case k.column != "":
		name = "group equal or null"
	}
	return fragment(name, struct{ Left, Right sqlText }{k.Expr, value})
}

// ofGroup is the key's value in the relation g of a batch's groups.
func (k groupKey) ofGroup() sqlText { return sqlText(fmt.Sprintf("g.k%d", k.Number)) }

// firstPlaces selects the rows of a group with a place among the first.
func (r *ranked) firstPlaces() sqlText {
	return fragment("first places", struct {
		Alias    sqlText
		Table    sqlText
		Rows     []sqlText
		Order    []orderItem
		First    int64
		Count    *countText
		WithTies bool
	}{"t", r.Table, r.rowsOfGroup(), r.inGroup.Order, r.First, r.Count, r.WithTies})
}

func (r *ranked) rowsOfGroup() []sqlText {
	rows := slices.Clone(r.inGroup.Rows)
	for _, k := range r.Keys {
		rows = append(rows, k.match(k.ofGroup()))
	}
	if len(rows) == 0 {
		rows = append(rows, "true")
	}
	return rows
}
