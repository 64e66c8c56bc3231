package generator

import (
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// ranked is a rank on the alias t.
type ranked struct {
	Name     sqlText // of the relation that holds the places
	First    int64
	Count    fields // instead of First: a number from data
	WithTies bool
	Order    []orderItem
	Total    []orderItem // the order of batches, which skip the rows that they passed by: ties must not change places
	Keys     []groupKey
	Rows     []sqlText // which rows have a place
	Table    sqlText
	columns  bool // every key and every item of the order is a plain column that an index can hold
	source   *policy.Rank
	Arms     []*ranked // the same of a group that is known, as g.k1 and so on, by parts: see armsOf
	Later    bool      // meant are the rows past the first ones, see later
}

// orderItem is one item of ORDER BY, on t, or of an index.
type orderItem struct {
	Expr                   sqlText
	Descending, NullsFirst bool
	column                 string // "" for an expression
	equal                  bool   // of an index: compared by equality only, so that its direction does not matter
}

// groupKey is one item of "per", on t. Number starts at 1. Groups are formed by Expr. Expressions are compared as text.
type groupKey struct {
	Number   int
	Expr     sqlText
	Column   ident // "" for an expression
	Type     sqlText
	NotNull  bool
	MayBeRow bool // see mayBeRow
	Null     bool // meant are the rows in which it is NULL
}

// rankOf compiles a rank. Its rows are those of "where", narrowed by "among", whose first order
// item is not NULL. Joins are sub-selects here: a rank looks at more rows than a batch joins.
func (w *policyCompiler) rankOf(source *policy.Rank, name sqlText) *ranked {
	defer w.restored()()
	w.scalars = w.asScalars(w.policy.Joins, nil)
	r := w.rankTexts(source, name)
	for _, keys := range armsOf(r) {
		if len(keys) > 0 {
			w.verdict = func(guard string) sqlText { return w.verdictInGroup(guard, keys) }
		}
		arm := w.rankTexts(source, name)
		arm.Rows, arm.Keys = append(arm.Rows, matches(keys)...), nil
		r.Arms = append(r.Arms, arm)
	}
	w.ranks = append(w.ranks, r)
	return r
}

func (w *policyCompiler) rankTexts(source *policy.Rank, name sqlText) *ranked {
	r := &ranked{Name: name, First: source.First, WithTies: source.WithTies, Table: qualified(w.table), columns: true, source: source}
	if w.policy.Partitions {
		r.Table, r.Rows = ofParts, []sqlText{"NOT t.detaching", fragment("has an end", nil)}
		r.Order = []orderItem{{Expr: fragment("has no beginning", nil)}}
	}
	for _, e := range []*policy.Expr{w.policy.Where, source.Among} {
		if e != nil {
			r.Rows = append(r.Rows, w.optional(e))
		}
	}
	w.compileOrder(r)
	if n := source.Count; n != nil {
		r.Count = fields{"Value": enclosed(w.bind(*n.Value)), "Never": each(n.NeverValues, w.bind), "Else": n.Else,
			"AtLeast": n.AtLeast, "AtMost": n.AtMost, "ZeroDue": n.AtLeast != nil && *n.AtLeast == 0}
	}
	return r
}

// verdictInGroup is guardVerdict for the rows of one group by keys: a rank whose own groups have all rows in one of these
// looks at no others.
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

// verdictAlone is a guard's verdict, which is never NULL.
var verdictAlone = regexp.MustCompile(`^keep\.\w+$`)

// compileOrder compiles the order, made total unless ties count as one, and the keys of groups.
func (w *policyCompiler) compileOrder(r *ranked) {
	for i, item := range r.source.Order {
		compiled, column := orderItem{Expr: w.bind(item.Expr), Descending: item.Descending, NullsFirst: item.NullsFirst}, w.columnOf(item.Expr)
		if i == 0 && (column == nil || !column.NotNull) && !verdictAlone.MatchString(item.Expr.SQL) {
			name := "row is not null" // an expression may be a row as well
			if column != nil && !mayBeRow(column.Type) {
				name = "is not null"
			}
			r.Rows = append(r.Rows, fragment(name, enclosed(compiled.Expr)))
		}
		if r.columns = r.columns && column != nil && !column.Virtual; column != nil {
			compiled.column, w.rankedBy = column.Name, appendUnique(w.rankedBy, column.Name)
		}
		r.Order = append(r.Order, compiled)
	}
	if r.Total = w.withKey(r.Order); !r.WithTies {
		r.Order = r.Total
	}
	for i, per := range r.source.Per {
		key, column := groupKey{Number: i + 1, Expr: w.bind(per), Type: "text"}, w.columnOf(per)
		if r.columns = r.columns && column != nil && !column.Virtual; column != nil {
			w.needOperators(column, per.Position)
			w.rankedBy = appendUnique(w.rankedBy, column.Name)
			key.Column, key.Type, key.NotNull, key.MayBeRow = ident(column.Name), sqlText(column.Type), column.NotNull, mayBeRow(column.Type)
		} else {
			key.Expr = fragment("as text", key.Expr)
		}
		r.Keys = append(r.Keys, key)
	}
}

// withKey makes an order total with the primary key, in the direction of its last item.
func (w *policyCompiler) withKey(order []orderItem) []orderItem {
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

// columnOf is the column that an expression is, nil when it is more than a column.
func (w *policyCompiler) columnOf(e policy.Expr) *catalog.Column {
	parsed := w.parse(e)
	if len(parsed.Columns) != 1 || parsed.Columns[0].Star {
		return nil
	}
	ref := parsed.Columns[0]
	ofTheRow := len(ref.Fields) == 2 && ref.Fields[0] == "t"
	if ref.Offset != 0 || nameEdit(e.SQL, 0, ofTheRow, "").Length != len(e.SQL) {
		return nil
	}
	return w.table.Column(ref.Fields[len(ref.Fields)-1])
}

// matches tie the keys of t to those of the relation g of a batch's groups.
func matches(keys []groupKey) []sqlText {
	return each(keys, func(k groupKey) sqlText { return fragment("of group", k) })
}

// ofParts is the relation that holds the partitions of a policy on these.
const ofParts sqlText = "part"

// Unindexed says that no index finds the rows of a group, so that all groups are ranked at once.
func (r *ranked) Unindexed() bool {
	return r.Table == ofParts || slices.ContainsFunc(r.Keys, func(k groupKey) bool { return k.Column == "" || k.MayBeRow })
}

// armsOf are the parts of a group by its keys: itself, but where a key may be NULL, the rows that have a value, and those
// that have none, since no index finds rows by "= OR IS NULL". Keys after the second are compared by that.
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

// later is the rank whose rows are those past the first ones.
func (r *ranked) later() *ranked {
	later := *r
	later.Later, later.Arms = true, each(r.Arms, (*ranked).later)
	return &later
}

// byThreshold says whether the rows past the first ones of a group are those from a row on, in an order of columns that
// are compared as one: what the statement locks is then checked once more by itself.
func (w *policyCompiler) byThreshold(r *ranked) bool {
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
