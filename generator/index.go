package generator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// NeededColumn is one column of an order in which a policy goes through its table.
type NeededColumn struct {
	Name       string // "" for an expression
	Descending bool
	NullsFirst bool
	Equal      bool    // compared by equality only: its direction does not matter
	expr       sqlText // without an alias, of an expression
}

// Expr is the column as CREATE INDEX takes it.
func (c NeededColumn) Expr() sqlText {
	if c.Name == "" {
		return c.expr
	}
	return sqlText(quote.Ident(c.Name))
}

// IndexNeed is an order in which a policy goes through its table by an index that was there before: the
// table's own, so that it may go again.
type IndexNeed struct {
	Table   string // "schema.name"
	Index   string // that serves in the catalog snapshot, "" for none
	Columns []NeededColumn
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

// need looks for an index that the database had before and that begins with items. Those that earlier
// migrations built do not count: they are wanted already.
func (w *pageWriter) need(items []NeededColumn) IndexNeed {
	need := IndexNeed{Table: tableName(w.table), Columns: items}
	i := slices.IndexFunc(w.table.Indexes, func(index catalog.Index) bool { return need.ServedBy(index, w.notNull) })
	if i >= 0 {
		need.Index = w.table.Indexes[i].Name
	}
	return need
}

func (w *pageWriter) notNull(column string) bool { return w.table.Column(column).NotNull }

// needs are the orders for which the policy relies on the table's own indexes.
func (w *pageWriter) needs() []IndexNeed {
	var list []IndexNeed
	for _, p := range w.passes {
		items, predicate := w.wantedIndex(p)
		if len(items) == 0 && (p.clock != nil || p.beyond == nil) {
			items = w.keyItems("") // the pass goes by its cursor, the primary key
		}
		need := w.need(items)
		same := func(n IndexNeed) bool { return slices.Equal(n.Columns, need.Columns) }
		if predicate == "" && need.Index != "" && !slices.ContainsFunc(list, same) {
			list = append(list, need)
		}
	}
	return list
}

// wanted is an index that migrations build: what a pass goes by, and no existing index serves.
type wanted struct {
	items     []NeededColumn
	predicate sqlText
}

func (w *pageWriter) wantedIndexes() []wanted {
	var list []wanted
	for _, p := range w.passes {
		if items, predicate := w.wantedIndex(p); len(items) > 0 && (predicate != "" || w.need(items).Index == "") {
			list = append(list, wanted{items, predicate})
		}
	}
	return list
}

// wantedIndex is the index of a pass: (clock, key) or (per, order), partial on "where" when that
// may stand in a predicate. No items: nothing to index, the primary key serves.
func (w *pageWriter) wantedIndex(p pass) ([]NeededColumn, sqlText) {
	var items []NeededColumn
	switch {
	case p.byClock():
		first := NeededColumn{Name: p.clock.column}
		if first.Name == "" {
			first.expr = p.clock.indexed
		}
		items = append([]NeededColumn{first}, w.keyItems(p.clock.column)...)
	case p.clock == nil && p.beyond != nil:
		items = w.rankItems(p.beyond)
	case w.predicate != "":
		items = w.keyItems("")
	}
	if len(items) == 0 {
		return nil, ""
	}
	return items, w.predicate
}

func (w *pageWriter) keyItems(except string) []NeededColumn {
	var items []NeededColumn
	for _, name := range w.table.PrimaryKey {
		if name != except {
			items = append(items, NeededColumn{Name: name})
		}
	}
	return items
}

// rankItems leaves an order out in which an expression takes part: whether it may be indexed is not known here.
// Its groups are found by their keys, and it has no items where these are expressions as well, or may be NULL.
func (w *pageWriter) rankItems(r *ranked) []NeededColumn {
	var items []NeededColumn
	for _, k := range r.Keys {
		if !r.columns && (!k.NotNull || w.table.Column(string(k.Column)).Virtual) {
			return nil
		}
		items = append(items, NeededColumn{Name: string(k.Column), Equal: true})
	}
	if !r.columns {
		return items
	}
	for _, o := range r.Order {
		if slices.ContainsFunc(items[:len(r.Keys)], func(k NeededColumn) bool { return k.Name == o.column }) {
			continue // one value in a group
		}
		items = append(items, NeededColumn{Name: o.column, Descending: o.Descending, NullsFirst: o.NullsFirst})
	}
	return items
}

// read are the columns of the row that an expression names.
func (w *pageWriter) read(e *pgparse.Expr) []catalog.Column {
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

// indexable says whether an index may read what an expression reads: a column that is computed whenever it
// is read is in no index, and in no predicate of one.
func (w *pageWriter) indexable(e *pgparse.Expr) bool {
	return !slices.ContainsFunc(w.read(e), func(c catalog.Column) bool { return c.Virtual })
}

// zoned says whether an expression compares two columns in a way that depends on the time zone of the
// session, which no index predicate may (42P17).
func (w *pageWriter) zoned(e *pgparse.Expr) bool {
	read := w.read(e)
	mixed := slices.ContainsFunc(read, func(a catalog.Column) bool {
		return slices.ContainsFunc(read, func(b catalog.Column) bool { return catalog.ZoneDecides(a, b) })
	})
	if !mixed { // most read none, and need no second look
		return false
	}
	c, _ := pgparse.ParseCondition(e.SQL) // it was parsed before
	found := false
	c.Walk(func(c *pgparse.Condition) {
		left, right := w.table.Column(c.Left.Column), w.table.Column(c.Right.Column)
		found = found || left != nil && right != nil && catalog.ZoneDecides(*left, *right)
	})
	return found
}

func (w *pageWriter) index(of wanted) Object {
	list, predicate := fragment("index items", of.items), of.predicate
	name := indexName(tableName(w.table), string(list), string(predicate))
	d := fields{"Schema": sqlText(w.schema()), "Policy": sqlText(w.policy.Name), "Items": list, "Columns": of.items, "Predicate": predicate,
		"Comment": literal("pgretain: index of policy " + w.policy.Name), "Concurrently": true, "Partitions": nil}
	maps.Copy(d, indexFields(w.table, name))
	id := ID{KindIndex, w.table.Schema + "." + name}
	sql := ""
	if w.table.Kind == "partitioned" {
		d["Comment"] = literal("pgretain: index for policies of this table") // its text never changes: see below
		d["Concurrently"] = false
		d["Partitions"], d["Attach"] = w.partitionIndexes(w.table, name, string(list), string(predicate))
		sql = object("index_partitioned", d)
		if before, had := w.history.Object(id); had {
			sql = before.SQL // later partitions get the index from PostgreSQL, and what is gone needs none
		}
	} else {
		sql = object("index", d)
	}
	return Object{
		Kind: KindIndex, Name: id.Name, As: AsMigrator, SQL: sql, Definition: string(fragment("plain index", d)), Drop: object("index_drop", d),
		Content: string(fragment("index content", d)),
		Policy:  w.policy.Name, Table: tableName(w.table), Position: w.policy.Position,
	}
}

// indexFields are the names of a table and of its index.
func indexFields(table *catalog.Table, name string) fields {
	return fields{
		"Table": qualified(table), "TableSchema": ident(table.Schema), "TableName": ident(table.Name),
		"Name": ident(name), "InvalidName": ident(name + "_invalid"), "Leaf": table.Kind == "table",
	}
}

// partitionIndexes lists the partitions of the snapshot, to any depth, and what to attach: deepest first.
func (w *pageWriter) partitionIndexes(parent *catalog.Table, parentIndex, items, predicate string) (partitions, attach []fields) {
	for _, child := range parent.Children {
		table := w.tables[child]
		if table == nil {
			continue
		}
		name := indexName(child, items, predicate)
		partitions = append(partitions, indexFields(table, name))
		if table.Kind == "partitioned" {
			below, attached := w.partitionIndexes(table, name, items, predicate)
			partitions, attach = append(partitions, below...), append(attach, attached...)
		}
		attach = append(attach, fields{"ParentSchema": literal(parent.Schema), "Parent": literal(parentIndex),
			"Schema": literal(table.Schema), "Name": literal(name)})
	}
	return partitions, attach
}

// indexName says whose index it is and carries a hash of its definition, so that a changed index
// is a new one, built before the old one goes.
func indexName(table, items, predicate string) string {
	stub := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToLower(table[strings.IndexByte(table, '.')+1:]))
	return fmt.Sprintf("pgretain_%s_%s", stub[:min(len(stub), 32)], Hash(table, items, predicate)[:8])
}

// ensureColumns are the columns that the table lacks, or that an earlier migration added.
func (w *pageWriter) ensureColumns(table *catalog.Table) []Object {
	var objects []Object
	for _, column := range w.policy.Ensure {
		name := tableName(table) + "." + column.Name
		if table.Column(column.Name) != nil && !w.history.Has(ID{KindColumn, name}) {
			continue
		}
		object := w.column(table, name, column)
		w.refuseType(table, object, column)
		objects = append(objects, object)
	}
	return objects
}

// refuseType refuses another type for a column that an earlier migration added: how its values become
// others is not for us to guess. Once the table has the type, the policy may say so.
func (w *pageWriter) refuseType(table *catalog.Table, object Object, column policy.Column) {
	before, had := w.history.Object(object.ID())
	if !had {
		return
	}
	added, err := pgparse.AddedType(before.SQL)
	wanted, wrong := pgparse.TypeIdentity(column.Type)
	if err != nil || wrong != nil || added == wanted { // reported where the type is read
		return
	}
	if live := table.Column(column.Name); live != nil {
		if is, err := pgparse.TypeIdentity(live.Type); err == nil && is == wanted {
			return
		}
	}
	w.refuse(column.Position, codeStep, fmt.Sprintf("column %q of table %q was added with another type", column.Name, tableName(table)),
		fmt.Sprintf("Write a migration of your own, ALTER TABLE %s ALTER COLUMN %s TYPE %s, apply it, and run \"pgretain snapshot\".",
			qualified(table), ident(column.Name), column.Type))
}

func (w *pageWriter) column(table *catalog.Table, name string, column policy.Column) Object {
	value := sqlText("")
	if column.Default != nil {
		value = enclosed(sqlText(strings.TrimSpace(column.Default.SQL)))
	}
	data := fields{"Policy": sqlText(w.policy.Name), "Table": qualified(table), "Column": ident(column.Name),
		"Type": sqlText(oneLine(column.Type)), "Default": value, "Comment": literal("pgretain: column of policy " + w.policy.Name)}
	return Object{
		Kind: KindColumn, Name: name, As: AsMigrator, SQL: object("column", data), Drop: object("column_drop", data),
		Policy: w.policy.Name, Table: tableName(table), Position: column.Position,
	}
}
