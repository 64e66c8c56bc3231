package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// indexItem is one column of an index that a pass goes by.
type indexItem struct {
	column     string  // "" for an expression
	expr       sqlText // without an alias
	descending bool
	nullsFirst bool
	equal      bool // compared by equality only: its direction does not matter
}

// indexes are what the passes of a policy go by and no existing index serves.
func (w *work) indexes() []Object {
	var objects []Object
	for _, p := range w.passes() {
		items, predicate := w.wantedIndex(p)
		if len(items) == 0 || predicate == "" && w.served(items) {
			continue
		}
		object := w.index(items, predicate)
		if !slices.ContainsFunc(objects, func(o Object) bool { return o.Name == object.Name }) {
			objects = append(objects, object)
		}
	}
	return objects
}

// wantedIndex is the index of a pass: (clock, key) or (per, order), partial on "where" when that
// may stand in a predicate. No items: nothing to index, the primary key serves.
func (w *work) wantedIndex(p pass) ([]indexItem, sqlText) {
	var items []indexItem
	partial := w.where != nil && w.where.simple && !w.where.always
	switch {
	case p.clock != nil && w.byClock(p):
		items = append(items, indexItem{column: p.clock.column, expr: p.clock.indexed})
		items = append(items, w.keyItems(p.clock.column)...)
	case p.clock == nil && p.beyond != nil:
		items = w.rankItems(p.beyond)
	case partial:
		items = w.keyItems("")
	}
	if len(items) > 0 && partial {
		return items, w.where.plain
	}
	return items, ""
}

func (w *work) keyItems(except string) []indexItem {
	var items []indexItem
	for _, name := range w.table.PrimaryKey {
		if name != except {
			items = append(items, columnItem(name, false, false))
		}
	}
	return items
}

// indexable says whether an index may read what an expression reads: a column that is computed whenever it
// is read is in no index, and in no predicate of one.
func (w *work) indexable(e *pgparse.Expr) bool {
	return !slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		column := w.table.Column(ref.Fields[len(ref.Fields)-1])
		return column != nil && column.Virtual
	})
}

// zoned says whether an expression compares two columns in a way that depends on the time zone of the
// session, which no index predicate may (42P17).
func (w *work) zoned(e bound) bool {
	if !w.mixesZones(e.parsed) {
		return false
	}
	c, err := pgparse.ParseCondition(e.source.SQL)
	if err != nil {
		return false // reported where it was read
	}
	found := false
	c.Walk(func(c *pgparse.Condition) {
		left, right := w.table.Column(c.Left.Column), w.table.Column(c.Right.Column)
		found = found || left != nil && right != nil && catalog.ZoneDecides(*left, *right)
	})
	return found
}

// mixesZones says whether an expression reads two columns whose comparison would be such a one: most read
// none, and need no second look.
func (w *work) mixesZones(e *pgparse.Expr) bool {
	var read []catalog.Column
	for _, ref := range e.Columns {
		if column := w.table.Column(ref.Fields[len(ref.Fields)-1]); column != nil {
			read = append(read, *column)
		}
	}
	return slices.ContainsFunc(read, func(a catalog.Column) bool {
		return slices.ContainsFunc(read, func(b catalog.Column) bool { return catalog.ZoneDecides(a, b) })
	})
}

func columnItem(name string, descending, nullsFirst bool) indexItem {
	return indexItem{column: name, expr: sqlText(quote.Ident(name)), descending: descending, nullsFirst: nullsFirst}
}

// rankItems leaves an order out in which an expression takes part: whether it may be indexed is not known here.
// Its groups are found by their keys, and it has no items where these are expressions as well, or may be NULL.
func (w *work) rankItems(r *ranked) []indexItem {
	var items []indexItem
	for _, k := range r.Keys {
		if !r.columns && (!k.notNull || w.table.Column(k.column).Virtual) {
			return nil
		}
		item := columnItem(k.column, false, false)
		item.equal = true
		items = append(items, item)
	}
	if !r.columns {
		return items
	}
	for _, o := range r.Order {
		items = append(items, columnItem(o.column, o.Descending, o.NullsFirst))
	}
	return items
}

func (w *work) index(items []indexItem, predicate sqlText) Object {
	list := fragment("index items", indexColumns(items))
	name := indexName(tableName(w.table), string(list), string(predicate))
	d := indexData{
		Schema: w.schema(), Policy: w.policy.Name, Table: qualified(w.table),
		TableSchema: ident(w.table.Schema), Name: ident(name), InvalidName: ident(name + "_invalid"),
		SchemaLiteral: literal(w.table.Schema), NameLiteral: literal(name), Items: list, Predicate: predicate,
		Comment: literal("pgretain: index of policy " + w.policy.Name),
	}
	kind := "index"
	if w.table.Kind == "partitioned" {
		kind = "index_partitioned"
		d.Comment = literal("pgretain: index for policies of this table") // its text never changes: see below
		d.TableLiteral = literal(d.Table)
		w.partitionIndexes(&d, w.table, name)
	}
	id := ID{KindIndex, w.table.Schema + "." + name}
	sql := object(kind, d)
	if before, had := w.history.Object(id); had && kind == "index_partitioned" {
		sql = before.SQL // later partitions get the index from PostgreSQL, and what is gone needs none
	}
	return Object{
		Kind: KindIndex, Name: id.Name, As: AsMigrator, SQL: sql, Definition: string(fragment("plain index", d)),
		Drop: object("index_drop", struct {
			indexData
			Concurrently bool
		}{d, kind == "index"}),
		Policy: w.policy.Name, Table: tableName(w.table), Position: w.policy.Position,
	}
}

// indexData is what the index templates read.
type indexData struct {
	Schema, Policy             string
	Table                      sqlText
	TableSchema                ident
	Name, InvalidName          ident
	SchemaLiteral, NameLiteral literal
	Items, Predicate           sqlText
	Comment                    literal

	// of a partitioned table
	TableLiteral literal // qualified
	Partitions   []indexPartition
	Attach       []indexAttach
}

// indexPartition is a partition of the snapshot.
type indexPartition struct {
	Leaf                                     bool
	Table                                    sqlText
	Literal                                  literal // qualified
	TableSchema, TableName                   ident
	Name, InvalidName                        ident
	SchemaLiteral, TableLiteral, NameLiteral literal
}

type indexAttach struct {
	ParentSchema, Parent, Schema, Name literal
}

// partitionIndexes lists the partitions of the snapshot, to any depth, and what to attach: deepest
// first.
func (w *work) partitionIndexes(d *indexData, parent *catalog.Table, parentIndex string) {
	for _, child := range parent.Children {
		table := w.tableNamed(child)
		if table == nil {
			continue
		}
		name := indexName(child, string(d.Items), string(d.Predicate))
		d.Partitions = append(d.Partitions, indexPartition{
			Leaf:  table.Kind == "table",
			Table: qualified(table), Literal: literal(qualified(table)), TableSchema: ident(table.Schema), TableName: ident(table.Name),
			Name: ident(name), InvalidName: ident(name + "_invalid"),
			SchemaLiteral: literal(table.Schema), TableLiteral: literal(table.Name), NameLiteral: literal(name),
		})
		if table.Kind == "partitioned" {
			w.partitionIndexes(d, table, name)
		}
		d.Attach = append(d.Attach, indexAttach{literal(parent.Schema), literal(parentIndex), literal(table.Schema), literal(name)})
	}
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
	if len(stub) > 32 {
		stub = stub[:32]
	}
	return fmt.Sprintf("pgretain_%s_%s", stub, Hash(table, items, predicate)[:8])
}

// indexColumn is an item for the template.
type indexColumn struct {
	Expr                          sqlText
	Descending, Nulls, NullsFirst bool
}

func indexColumns(items []indexItem) []indexColumn {
	columns := make([]indexColumn, len(items))
	for i, item := range items {
		columns[i] = indexColumn{item.expr, item.descending, item.nullsFirst != item.descending, item.nullsFirst}
	}
	return columns
}

// ensureColumns are the columns that the table lacks, or that an earlier migration added.
func (w *work) ensureColumns(table *catalog.Table) []Object {
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
func (w *work) refuseType(table *catalog.Table, object Object, column policy.Column) {
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

func (w *work) column(table *catalog.Table, name string, column policy.Column) Object {
	value := sqlText("")
	if column.Default != nil {
		w.onOneLine(*column.Default)
		value = enclosed(sqlText(oneLine(column.Default.SQL)))
	}
	data := struct {
		Policy  string
		Table   sqlText
		Column  ident
		Type    sqlText
		Default sqlText
	}{w.policy.Name, qualified(table), ident(column.Name), sqlText(oneLine(column.Type)), value}
	return Object{
		Kind: KindColumn, Name: name, As: AsMigrator, SQL: object("column", data), Drop: object("column_drop", data),
		Policy: w.policy.Name, Table: tableName(table), Position: column.Position,
	}
}
