package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// ranked is a compiled rank on the alias t.
type ranked struct {
	Name     sqlText // name of the relation that contains the place of each row
	First    int64
	Count    *countText // number of first rows, if an expression computes it; replaces First
	WithTies bool
	Order    []orderItem
	Total    []orderItem // total order, so that rows with equal values keep their order between batches
	Keys     []groupKey
	Rows     []sqlText // conditions under which a row has a place
	Table    sqlText
	columns  bool // all keys and items of the order are plain columns that an index can contain
	source   *policy.Rank
	Arms     []*ranked // the rank within one given group, whose keys are g.k1 and so on; see armsOf
	Later    bool      // the rank selects the rows after the first ones; see later
}

// countText is a number of rows that an expression computes. Bounds are nil if there are none.
type countText struct {
	Value                 sqlText
	Never                 []sqlText // numbers with which no row is due
	Else, AtLeast, AtMost *int64
	ZeroDue               bool
}

// orderItem is an item of ORDER BY on t, or of an index.
type orderItem struct {
	Expr                   sqlText
	Descending, NullsFirst bool
	column                 string        // column name; "" for an expression
	parsed                 *pgparse.Expr // of an index on an expression: the expression
	equal                  bool          // of an index: only compared by equality, so its direction does not matter
}

// groupKey is an item of "per" on t. Number starts at 1. Expr forms the groups. Expressions are
// compared as text.
type groupKey struct {
	Number   int
	Expr     sqlText
	Column   ident // column name; "" for an expression
	Type     sqlText
	NotNull  bool
	MayBeRow bool // see mayBeRow
	Null     bool // selects the rows in which the key is NULL
}

// rankOf compiles a rank. The rank covers rows for which "where" and "among" are true and whose
// first order item is not NULL. Joins become sub-selects, because a rank reads more rows than a
// batch joins.
func (w *policyCompiler) rankOf(source *policy.Rank, name sqlText) *ranked {
	inner := *w
	inner.scalars = w.asScalars(w.policy.Joins, nil)
	inner.verdict = inner.guardVerdict
	r := inner.rankTexts(source, name)
	for _, keys := range armsOf(r) {
		inGroup := inner
		if len(keys) > 0 {
			inGroup.verdict = func(guard string) sqlText { return inGroup.verdictInGroup(guard, keys) }
		}
		arm := inGroup.rankTexts(source, name)
		arm.Rows, arm.Keys = append(arm.Rows, matches(keys)...), nil
		r.Arms = append(r.Arms, arm)
	}
	w.ranks = append(w.ranks, r)
	return r
}

func (w *policyCompiler) rankTexts(source *policy.Rank, name sqlText) *ranked {
	r := &ranked{Name: name, First: source.First, WithTies: source.WithTies, Table: qualified(w.table), columns: true,
		source: source}
	if w.policy.Partitions {
		r.Table, r.Rows = partitionRelation, []sqlText{"NOT t.detaching", fragment("has an end", nil)}
		r.Order = []orderItem{{Expr: fragment("has no beginning", nil)}}
	}
	for _, e := range []*policy.Expr{w.policy.Where, source.Among} {
		if e != nil {
			r.Rows = append(r.Rows, w.optional(e))
		}
	}
	w.compileOrder(r)
	if n := source.Count; n != nil {
		r.Count = &countText{enclosed(w.bind(*n.Value)), lists.Map(n.NeverValues, w.bind), n.Else, n.AtLeast, n.AtMost,
			n.AtLeast != nil && *n.AtLeast == 0}
	}
	return r
}

// verdictInGroup returns the SQL of guardVerdict for the rows of one group. The parameter "keys"
// says how rows are grouped. If every group of the guard's own rank lies within one such group, the
// SQL reads no other rows.
func (w *policyCompiler) verdictInGroup(name string, keys []groupKey) sqlText {
	for _, g := range w.guards {
		apart := func(k groupKey) bool {
			return !slices.ContainsFunc(g.Rank.Keys, func(own groupKey) bool { return own.Column == k.Column })
		}
		if string(g.Name) == name && g.Rank != nil && !slices.ContainsFunc(keys, apart) {
			inner := w.rankTexts(g.Rank.source, g.Rank.Name)
			inner.Rows = append(inner.Rows, matches(keys)...)
			return fragment("ranked within", inner)
		}
	}
	return w.guardVerdict(name)
}

// compileOrder compiles the keys of groups and the order. It makes the order total, unless rows
// with equal values share a place.
func (w *policyCompiler) compileOrder(r *ranked) {
	for i, item := range r.source.Order {
		compiled := orderItem{Expr: w.bind(item.Expr), Descending: item.Descending, NullsFirst: item.NullsFirst}
		column, name := w.columnOf(item.Expr), item.Expr.Parsed().Column()
		verdict := len(name) == 2 && name[0] == "keep" // the verdict of a guard is never NULL
		if i == 0 && (column == nil || !column.NotNull) && !verdict {
			name := "row is not null" // an expression may be of a row type
			if column != nil && !mayBeRow(column.Type) {
				name = "is not null"
			}
			r.Rows = append(r.Rows, fragment(name, enclosed(compiled.Expr)))
		}
		if r.columns = r.columns && column != nil && !column.Virtual; column != nil {
			compiled.column, w.rankedBy = column.Name, lists.AppendUnique(w.rankedBy, column.Name)
		}
		r.Order = append(r.Order, compiled)
	}
	if r.Total = w.withKey(r.Order); !r.WithTies {
		r.Order = r.Total
	}
	for i, per := range r.source.Per {
		key, column := groupKey{Number: i + 1, Expr: w.bind(per), Type: "text"}, w.columnOf(per)
		if r.columns = r.columns && column != nil && !column.Virtual; column != nil {
			w.checkOperators(column, per.Position)
			w.rankedBy = lists.AppendUnique(w.rankedBy, column.Name)
			key.Column, key.Type = ident(column.Name), sqlText(column.Type)
			key.NotNull, key.MayBeRow = column.NotNull, mayBeRow(column.Type)
		} else {
			key.Expr = fragment("as text", key.Expr)
		}
		r.Keys = append(r.Keys, key)
	}
}

// withKey adds the primary key to an order, in the direction of its last item. The order is then
// total.
func (w *policyCompiler) withKey(order []orderItem) []orderItem {
	total := slices.Clone(order)
	descending := order[len(order)-1].Descending
	for _, name := range w.table.PrimaryKey {
		if !slices.ContainsFunc(total, func(item orderItem) bool { return item.column == name }) {
			total = append(total, orderItem{Expr: aliased("t", ident(name)), Descending: descending,
				NullsFirst: descending, column: name})
		}
	}
	return total
}

// mayBeRow reports whether values of a type may be rows. IS NULL is also true for a row in which
// all columns are NULL.
func mayBeRow(typ string) bool { return strings.Contains(typ, ".") }

// columnOf returns the column that an expression consists of; nil if the expression is anything
// else.
func (w *policyCompiler) columnOf(e policy.Expr) *catalog.Column {
	switch name := e.Parsed().Column(); {
	case len(name) == 1:
		return w.table.Column(name[0])
	case len(name) == 2 && name[0] == "t":
		return w.table.Column(name[1])
	}
	return nil
}

// matches returns conditions that join the keys of t to those of g, the relation with a batch's
// groups.
func matches(keys []groupKey) []sqlText {
	return lists.Map(keys, func(k groupKey) sqlText { return fragment("of group", k) })
}

// partitionRelation is the relation that contains the partitions, for a policy on partitions.
const partitionRelation sqlText = "part"

// Unindexed reports whether no index finds the rows of a group. Then all groups are ranked at once.
func (r *ranked) Unindexed() bool {
	return r.Table == partitionRelation || slices.ContainsFunc(r.Keys,
		func(k groupKey) bool { return k.Column == "" || k.MayBeRow })
}

// armsOf returns the parts into which nullable keys divide a group. No index finds rows by "= OR IS
// NULL". So for up to two such keys, rows with a value and rows with NULL are separate parts.
// Further nullable keys are compared with "= OR IS NULL".
func armsOf(r *ranked) [][]groupKey {
	if r.Unindexed() {
		return nil
	}
	arms := [][]groupKey{r.Keys}
	for i, k := range r.Keys {
		if k.NotNull || len(arms) == 4 {
			continue
		}
		var parts [][]groupKey
		for _, keys := range arms {
			value, null := slices.Clone(keys), slices.Clone(keys)
			value[i].NotNull, null[i].Null = true, true
			parts = append(parts, value, null)
		}
		arms = parts
	}
	return arms
}

// later returns the rank of the rows after the first ones.
func (r *ranked) later() *ranked {
	later := *r
	later.Later, later.Arms = true, lists.Map(r.Arms, (*ranked).later)
	return &later
}

// byThreshold reports whether the surplus rows of a group are all rows that sort at or after one
// row. The order must be by columns that can be compared as one row value. Then the statement
// itself can recheck the locked rows.
func (w *policyCompiler) byThreshold(r *ranked) bool {
	if r.Count != nil || r.WithTies || len(r.Keys) == 0 || len(w.guards) > 0 || len(w.policy.Scope) > 0 ||
		w.ownDelete == nil {
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
