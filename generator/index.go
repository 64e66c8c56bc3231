package generator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// passIndex is the index by which a pass, or the rank of a guard, finds its rows. Its columns are
// the clock and the key, or the items of "per" and "order". If an index predicate can contain the
// condition "where", the index is partial.
type passIndex struct {
	items     []orderItem
	predicate sqlText
	serves    string // existing index that begins with the items; "" if there is none
	byClock   bool   // the first item is the clock
	byKey     bool   // rows are found by the primary key
}

func (w *policyCompiler) passIndexes() []passIndex {
	var list []passIndex
	if w.policy.Partitions {
		return nil // partitions are not rows of a table
	}
	for _, p := range w.scans {
		index := passIndex{items: w.keyItems(""), predicate: w.predicate}
		switch {
		case p.byClock():
			index.items = append([]orderItem{p.clock.item()}, w.keyItems(p.clock.column)...)
			index.byClock = true
		case p.clock == nil && p.beyond != nil:
			index.items = w.rankItems(p.beyond)
		default:
			index.byKey = true
		}
		list = append(list, index)
	}
	for _, r := range w.ranks { // a batch reads the first rows of the groups of a guard
		items := w.rankItems(r)
		begins := func(i passIndex) bool {
			return len(i.items) >= len(items) && slices.Equal(i.items[:len(items)], items)
		}
		if !slices.ContainsFunc(list, begins) {
			list = append(list, passIndex{items: items, predicate: w.predicate})
		}
	}
	for i := range list {
		serves := func(of catalog.Index) bool { return w.beginsWith(of, list[i].items) }
		if w.policy.Index == "application" {
			serves = func(of catalog.Index) bool { return w.mayServe(of, list[i]) }
		}
		if at := slices.IndexFunc(w.table.Indexes, serves); at >= 0 {
			list[i].serves = w.table.Indexes[at].Name
		}
	}
	return slices.DeleteFunc(list, func(i passIndex) bool { return len(i.items) == 0 })
}

// wantedIndexes returns the indexes that migrations build.
func (w *policyCompiler) wantedIndexes() []passIndex {
	served := func(i passIndex) bool {
		return (i.predicate == "" || w.policy.Index == "application") && (i.byKey || i.serves != "")
	}
	return slices.DeleteFunc(w.passIndexes(), served)
}

// checkIndexes refuses a policy if its table lacks a wanted index and no migration may build it:
// "index" is "application", or the policy is for each schema. For the latter a run would have to
// build the index, which would block writes.
func (w *policyCompiler) checkIndexes() {
	if w.buildsIndexes() {
		return
	}
	for _, i := range w.wantedIndexes() {
		if i.serves == "" {
			w.fail(messages.NoIndexForRows(tableName(w.table), w.policy.Name, string(qualified(w.table)),
				string(fragment("order", i.items)), w.file.EachOf(w.policy) != nil), w.policy.Position)
		}
	}
}

// buildsIndexes reports whether a migration may build the wanted indexes.
func (w *policyCompiler) buildsIndexes() bool {
	return w.policy.Index != "application" && w.file.EachOf(w.policy) == nil
}

// mayServe reports whether an index of the application may find the rows in the wanted order. It
// need not have all wanted columns: PostgreSQL sorts rows that are equal in the first ones. It may
// be partial if its predicate reads only columns that the policy's condition reads. "pgretain
// verify" looks at the plan of a batch.
func (w *policyCompiler) mayServe(index catalog.Index, wanted passIndex) bool {
	if wanted.byClock {
		wanted.items = wanted.items[:1]
	}
	if index.Predicate != "" {
		predicate, err := pgparse.Expression(index.Predicate)
		if err != nil || w.policy.Where == nil {
			return false
		}
		where := w.columnsNamed(w.policy.Where.Parsed())
		for _, column := range w.columnsNamed(predicate) {
			if !slices.ContainsFunc(where, func(c catalog.Column) bool { return c.Name == column.Name }) {
				return false
			}
		}
		index.Predicate = ""
	}
	return w.beginsWith(index, wanted.items)
}

// needs returns the existing indexes of the table by which the policy finds its rows.
func (w *policyCompiler) needs() []string {
	var names []string
	for _, i := range w.passIndexes() {
		if (i.predicate == "" || w.policy.Index == "application") && i.serves != "" {
			names = lists.AppendUnique(names, i.serves)
		}
	}
	return names
}

// beginsWith reports whether an index, read forwards or backwards, begins with items. The placement
// of NULLs does not matter for a column that is NOT NULL.
func (w *policyCompiler) beginsWith(index catalog.Index, items []orderItem) bool {
	read := func(backwards bool) bool {
		for i, item := range items {
			switch {
			case index.Columns[i] != item.column || item.column == "" && !w.hasExpression(index, i, item.parsed):
				return false
			case item.equal:
			case index.Descending[i] != (item.Descending != backwards),
				!w.notNull(item.column) && index.NullsFirst[i] != (item.NullsFirst != backwards):
				return false
			}
		}
		return true
	}
	return index.Method == "btree" && index.Valid && index.Predicate == "" && len(index.Columns) >= len(items) &&
		(read(false) || read(true))
}

// hasExpression reports whether an item of an index, counted from 0, is an expression.
func (w *policyCompiler) hasExpression(index catalog.Index, item int, wanted *pgparse.Expr) bool {
	expressions, err := pgparse.IndexExpressions(index.Definition)
	return err == nil && wanted != nil && item < len(expressions) && expressions[item] != nil &&
		expressions[item].Same(wanted, w.columnType)
}

func (w *policyCompiler) notNull(column string) bool {
	c := w.table.Column(column)
	return c != nil && c.NotNull
}

func (w *policyCompiler) keyItems(except string) []orderItem {
	key := slices.DeleteFunc(slices.Clone(w.table.PrimaryKey), func(name string) bool { return name == except })
	return lists.Map(key, func(name string) orderItem {
		return orderItem{Expr: sqlText(quote.Ident(name)), column: name}
	})
}

// rankItems returns the items of an index for a rank. It leaves out an order with an expression,
// because it cannot know whether the expression can be indexed. The index then finds the groups by
// their keys. It returns no items if a key is an expression or may be NULL.
func (w *policyCompiler) rankItems(r *ranked) []orderItem {
	var items []orderItem
	for _, k := range r.Keys {
		if !r.columns && (!k.NotNull || w.table.Column(string(k.Column)).Virtual) {
			return nil
		}
		items = append(items, orderItem{Expr: sqlText(k.Column.String()), column: string(k.Column), equal: true})
	}
	for _, o := range r.Order {
		// the column has one value in a group
		isKey := func(i orderItem) bool { return i.equal && i.column == o.column }
		if r.columns && !slices.ContainsFunc(items, isKey) {
			items = append(items, orderItem{Expr: sqlText(quote.Ident(o.column)), Descending: o.Descending,
				NullsFirst: o.NullsFirst, column: o.column})
		}
	}
	return items
}

// columnsNamed returns the columns of the row that an expression names.
func (w *policyCompiler) columnsNamed(e *pgparse.Expr) []catalog.Column {
	var list []catalog.Column
	for _, ref := range e.Columns {
		if ref.Star {
			continue
		}
		if column := w.table.Column(ref.Fields[len(ref.Fields)-1]); column != nil {
			list = append(list, *column)
		}
	}
	return list
}

// indexable reports whether an index may contain what an expression reads. An index and its
// predicate cannot contain a virtual generated column.
func (w *policyCompiler) indexable(e *pgparse.Expr) bool {
	return !slices.ContainsFunc(w.columnsNamed(e), func(c catalog.Column) bool { return c.Virtual })
}

// dependsOnZone reports whether an expression compares two columns in a way that depends on the
// session's time zone. An index predicate must not do that (42P17).
func (w *policyCompiler) dependsOnZone(e *pgparse.Expr) bool {
	found := false
	e.Condition().Walk(func(c *pgparse.Condition) {
		left, right := w.table.Column(c.Left.Column), w.table.Column(c.Right.Column)
		found = found || left != nil && right != nil && catalog.ZoneDecides(*left, *right)
	})
	return found
}

// Index is an index that a migration builds, on one table or on one partition after the other. Its
// templates write all statements about it.
type Index struct {
	tableIndex
	Schema, Policy sqlText // schema of the runtime, and name of the policy
	Items          sqlText
	Columns        []orderItem
	Predicate      sqlText // "" if the index contains all rows
	Comment        literal
	Concurrently   bool // other sessions can write to the table meanwhile
	InTransaction  bool
	Partitions     []tableIndex
	Attach         []attachment
	ByHand         bool // the statements are for a person, who needs no comments
	Renamed        bool // the table has the index under another name
}

// tableIndex is the part of an index that belongs to one table.
type tableIndex struct {
	Table relation
	Name  ident
	Leaf  bool // the table is not partitioned
}

// InvalidName returns the name that an invalid index gets before the index is built again.
func (i tableIndex) InvalidName() ident { return i.Name + "_invalid" }

// relation is a table. It prints its qualified name.
type relation struct{ Schema, Name ident }

func (r relation) String() string { return quote.Qualified(string(r.Schema), string(r.Name)) }

func (r relation) Literal() literal { return literal(r.String()) }

func relationOf(table *catalog.Table) relation {
	return relation{ident(table.Schema), ident(table.Name)}
}

// attachment makes the index of a partition a part of the index of the table above it.
type attachment struct{ ParentSchema, Parent, Schema, Name literal }

// Next returns the line that a migration has between two statements.
func (x Index) Next() string {
	if x.ByHand {
		return ""
	}
	return nextLine
}

// Definition returns a CREATE INDEX without the statements around it.
func (x Index) Definition() string { return plainText(fragment("plain index", x)) }

// Content returns an EXPLAIN of a query that reads what the index would contain.
func (x Index) Content() string { return layout(string(fragment("index content", x))) }

// Build returns the statements with which a person builds the index, even after a failed build.
// partitioned says whether the table is partitioned now.
func (x Index) Build(partitioned bool) string { return object(x.template(), x.byHand(partitioned)) }

// Remove returns the statements with which a person drops the index to build it again. partitioned
// says whether the index belongs to a partitioned table now.
func (x Index) Remove(partitioned bool) string { return object("index_drop", x.byHand(partitioned)) }

// byHand returns the index with statements for a person. They are not CONCURRENTLY if the table
// became partitioned, because PostgreSQL refuses that.
func (x Index) byHand(partitioned bool) Index {
	if x.ByHand = true; partitioned && x.Concurrently {
		x.Concurrently, x.InTransaction = false, true
	}
	return x
}

// template returns the name of the template that builds the index.
func (x Index) template() string {
	if x.Concurrently || x.InTransaction {
		return "index"
	}
	return "index_partitioned"
}

func (p *policyPlan) index(of passIndex) Object {
	items, predicate, partitioned := fragment("order", of.items), of.predicate, p.table.Kind == "partitioned"
	name := indexName(tableName(p.table), string(items), string(predicate))
	comment := fmt.Sprintf("pgretain: index %s of %s for ", name, tableName(p.table))
	index := &Index{tableIndex: indexOf(p.table, name), Schema: sqlText(p.schema()), Policy: sqlText(p.policy.Name),
		Items: items, Columns: of.items, Predicate: predicate, Comment: literal(comment + "policy " + p.policy.Name),
		InTransaction: p.history.tool.inTransaction}
	index.Concurrently = !partitioned && !index.InTransaction
	byPartition := partitioned && !index.InTransaction
	if byPartition {
		// the same for all policies, because the object keeps its first SQL: see below
		index.Comment = literal(comment + "policies of this table")
		index.Partitions, index.Attach = p.partitionIndexes(p.table, name, string(items), string(predicate))
	}
	o := newObject(KindIndex, p.table.Schema+"."+name, index.template(), index, p.policy.Position)
	o.Policy, o.Table, o.Index = p.policy.Name, tableName(p.table), index
	if byPartition {
		o = o.with(PartParent, index.Table.String())
	}
	if before, had := p.history.Object(o.ID()); had && partitioned && before.isPartitioned() {
		// PostgreSQL adds the index to later partitions, and dropped ones need none.
		o.SQL = strings.TrimPrefix(before.SQL, before.Parts[PartAgain])
	}
	adopts := p.adopts(name, string(items), string(predicate))
	index.Renamed = slices.ContainsFunc(adopts, func(a adoption) bool {
		return a.Name == literal(name) && a.Found != literal("")
	})
	return p.again(o, adopts, nil)
}

// isPartitioned reports whether an index is built on a partitioned table, one partition after the
// other.
func (o Object) isPartitioned() bool { return o.Parts[PartParent] != "" }

func indexOf(table *catalog.Table, name string) tableIndex {
	return tableIndex{relationOf(table), ident(name), table.Kind == "table"}
}

// partitionIndexes returns the partitions of the snapshot, to any depth, and the indexes to attach,
// deepest first.
func (c project) partitionIndexes(
	parent *catalog.Table, parentIndex, items, predicate string,
) (partitions []tableIndex, attach []attachment) {
	for _, child := range parent.Children {
		table := c.tables[child]
		if table == nil {
			continue
		}
		name := indexName(child, items, predicate)
		below, attached := c.partitionIndexes(table, name, items, predicate)
		partitions = append(append(partitions, indexOf(table, name)), below...)
		attach = append(append(attach, attached...), attachment{literal(parent.Schema), literal(parentIndex),
			literal(table.Schema), literal(name)})
	}
	return partitions, attach
}

// indexName returns a name with the table's name and a hash of the definition. A changed index has
// a new name and is built before the old one is dropped.
func indexName(table, items, predicate string) string {
	_, name, _ := strings.Cut(table, ".")
	stub := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	return fmt.Sprintf("pgretain_%s_%s", stub[:min(len(stub), 32)], Hash(table, items, predicate)[:8])
}

// ensureColumns returns the columns of "ensure" that the table lacks or that an earlier migration
// added.
func (w *policyCompiler) ensureColumns() []draft {
	var columns []draft
	for _, column := range w.policy.Ensure {
		d, live := w.column(column), w.snapshot.Table(tableName(w.table)).Column(column.Name)
		if column.By == "application" {
			w.demandColumn(column, live)
			continue
		}
		before, had := w.history.Object(d.ID())
		if had {
			w.refuseType(before, live, column)
		}
		if had || live == nil {
			columns = append(columns, d)
		}
	}
	return columns
}

// demandColumn refuses a policy if the application has not added a column, or has added it with
// another type.
func (w *policyCompiler) demandColumn(column policy.Column, live *catalog.Column) {
	typ, _ := pgparse.FormatType(column.Type) // the reader of the file has parsed it
	if live == nil {
		value := ""
		if column.Default != nil {
			value = oneLine(strings.TrimSpace(column.Default.SQL))
		}
		w.fail(messages.ColumnToAdd(columnOf(w.table, column.Name), typ, value), column.Position)
		return
	}
	wanted, _ := pgparse.TypeIdentity(column.Type)
	if found, _ := pgparse.TypeIdentity(live.Type); found != wanted {
		w.fail(messages.ColumnOfOtherType(tableName(w.table), column.Name, live.Type, typ), column.Position)
	}
}

// refuseType refuses a changed type of a column that an earlier migration added, because pgretain
// cannot know how to convert its values. It accepts the new type after the user has changed the
// column in the table.
func (w *policyCompiler) refuseType(before Object, live *catalog.Column, column policy.Column) {
	wanted, _ := pgparse.TypeIdentity(column.Type) // the reader of the file has parsed it
	added, _ := pgparse.TypeIdentity(before.Parts[PartType])
	current, _ := pgparse.TypeIdentity(cmp.Or(live, &catalog.Column{}).Type)
	if wanted != added && wanted != current {
		w.fail(messages.AddedWithOtherType(columnOf(w.table, column.Name), column.Type), column.Position)
	}
}

// Column is a column of "ensure" that a migration adds. Templates write the statements about it.
type Column struct {
	Schema, Policy sqlText // schema of the runtime, and name of the policy
	Table          relation
	Column         ident
	Type, Default  sqlText // Default is "" if there is none
	Comment        literal
}

// SetDefault returns the statement that gives the column its default.
func (c Column) SetDefault() string { return object("column_default", c) }

func (w *policyCompiler) column(column policy.Column) draft {
	added := &Column{Schema: sqlText(w.schema()), Policy: sqlText(w.policy.Name), Table: relationOf(w.table),
		Column: ident(column.Name), Type: sqlText(oneLine(column.Type)),
		Comment: literal("pgretain: column of policy " + w.policy.Name)}
	if column.Default != nil {
		added.Default = enclosed(sqlText(strings.TrimSpace(column.Default.SQL)))
	}
	d := w.draft(KindColumn, tableName(w.table)+"."+column.Name, "column", added)
	d.Object = d.with(PartType, oneLine(column.Type))
	d.Column = added
	d.Position = column.Position
	return d
}
