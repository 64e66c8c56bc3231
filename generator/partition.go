package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// partitioned is the table of a policy on partitions: PARTITION BY RANGE, or BY LIST over RANGE.
type partitioned struct {
	table *catalog.Table
	key   *catalog.Column // bounds are its values
	value *catalog.Column // of the list, nil without one
}

// keyFloors are the smallest values of the types that bounds may have.
var keyFloors = map[string]literal{
	"smallint": "-32768", "integer": "-2147483648", "bigint": "-9223372036854775808",
	"numeric": "-Infinity", "double precision": "-Infinity", "date": "-infinity",
	"timestamp without time zone": "-infinity", "timestamp with time zone": "-infinity",
	"uuid": "00000000-0000-0000-0000-000000000000",
}

// keyType is the type of bounds, without the digits that only say how values are stored.
func keyType(c *catalog.Column) string {
	base, rest, found := strings.Cut(c.Type, "(")
	if !found {
		return c.Type
	}
	_, tail, _ := strings.Cut(rest, ")")
	return strings.TrimSpace(base) + tail
}

// partitionedOf is the table of a policy on partitions, nil when the policy is about rows or the
// table cannot be told to be one.
func (c *compiler) partitionedOf(p *policy.Policy) *partitioned {
	table := c.tableNamed(p.Table.String())
	if !p.Partitions || table == nil {
		return nil
	}
	t := &partitioned{table: table}
	level := table
	if table.Strategy == "list" && len(table.KeyColumns) == 1 {
		t.value = table.Column(table.KeyColumns[0])
		level = c.rangeBelow(table)
	}
	if level == nil || level.Strategy != "range" || len(level.KeyColumns) == 0 || (t.value == nil) != (level == table) {
		return nil
	}
	if t.key = table.Column(level.KeyColumns[0]); t.key == nil {
		return nil
	}
	return t
}

// rangeBelow is one partition of a list that is partitioned by range; nil when there is none, or
// when they differ in their key.
func (c *compiler) rangeBelow(list *catalog.Table) *catalog.Table {
	var below *catalog.Table
	for _, name := range list.Children {
		child := c.tableNamed(name)
		if child == nil || child.Strategy == "" {
			continue
		}
		if child.Strategy != "range" || below != nil && !slices.Equal(child.KeyColumns, below.KeyColumns) {
			return nil
		}
		below = child
	}
	return below
}

// partitionsAsRows is the relation whose rows are the partitions; nil when it was refused.
func (c *compiler) partitionsAsRows(p *policy.Policy) *catalog.Table {
	t := c.partitionedOf(p)
	if t == nil || !c.checkPartitioned(p, t) {
		return nil
	}
	rows := &catalog.Table{Schema: t.table.Schema, Name: t.table.Name, Kind: "partitions", PrimaryKey: []string{"schema", "name"}}
	add := func(name, typ string, notNull bool) {
		rows.Columns = append(rows.Columns, catalog.Column{Name: name, Type: typ, NotNull: notNull})
	}
	add("schema", "text", true)
	add("name", "text", true)
	add("parent", "text", true)
	if t.value != nil {
		add("value", keyType(t.value), true)
	}
	add("lower", keyType(t.key), false)
	add("upper", keyType(t.key), true)
	return rows
}

// rowsTable is what the rows of a policy look like, nil when the policy was refused.
func (c *compiler) rowsTable(p *policy.Policy) *catalog.Table {
	if !p.Partitions {
		return c.findTable(p)
	}
	clocksOnUpper(p)
	return c.partitionsAsRows(p)
}

// rowsRelation is a relation with the columns of the policy's rows, for what is planned and not run.
func (w *work) rowsRelation() sqlText {
	if !w.policy.Partitions {
		return qualified(w.table)
	}
	return fragment("partition columns", w.table.Columns)
}

// compilePartitions compiles a policy on partitions to its objects; none when it was refused.
func (c *compiler) compilePartitions(p *policy.Policy) []Object {
	if !c.checkPartitionPolicy(p) {
		return nil
	}
	rows := c.rowsTable(p)
	if rows == nil || !c.checkPartitionSteps(p) {
		return nil
	}
	defer c.explainColumns(len(c.diags))
	w := c.work(p, rows, rowsForm())
	if c.diags.HasErrors() {
		return nil
	}
	objects := slices.Concat(w.createdTables(), w.storedTables())
	functions := append([]Object{w.partitionRows(), w.alterPartition(), w.take()}, w.start()...)
	w.collectRights()
	objects = append(objects, functions...)
	return append(objects, w.registryRow(functions, []passEntry{{}}, w.facts(), w.stepEntries()))
}

// explainColumns says, in what was found since, what columns there are.
func (c *compiler) explainColumns(since int) {
	for i := range c.diags[since:] {
		if d := &c.diags[since+i]; d.Code == codeNoColumn && d.Hint == "" {
			d.Hint = "The rows are partitions, with schema, name, parent, lower and upper. What they hold is read with a sub-select: FROM partition."
		}
	}
}

// clocksOnUpper gives clocks their column: age runs from the upper bound, and a partition whose
// upper bound is the cutoff itself holds nothing that is younger.
func clocksOnUpper(p *policy.Policy) {
	if p.Due == nil {
		return
	}
	for _, entry := range p.Due.Entries {
		if k := entry.Clock; k != nil {
			k.Inclusive = true
			if k.Column == "" && k.Expression == nil {
				k.Column, k.ColumnPos = "upper", k.Position
			}
		}
	}
}

// partitionContent is the SQL that "partition" stands for in expressions.
func (c *compiler) partitionContent(p *policy.Policy) sqlText {
	t := c.partitionedOf(p)
	if t == nil {
		return ""
	}
	data := struct {
		Table      sqlText
		Key, Value sqlText
		KeyType    string
		Floor      literal
	}{Table: qualified(t.table), Key: sqlText(quote.Ident(t.key.Name)), KeyType: keyType(t.key), Floor: keyFloors[keyType(t.key)]}
	if t.value != nil {
		data.Value = sqlText(quote.Ident(t.value.Name))
	}
	return fragment("partition content", data)
}

// partitionEdits puts what a partition holds in the place of the relation "partition".
func (b *binder) partitionEdits(e policy.Expr, parsed *pgparse.Expr) []pgparse.Edit {
	if b.content == "" {
		return nil
	}
	var edits []pgparse.Edit
	for _, ref := range parsed.Tables {
		if !isPartition(ref) {
			continue
		}
		text := string(b.content)
		if ref.Alias == "" {
			text += ` AS "partition"`
		}
		edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: nameLength(e.SQL[ref.Offset:]), Text: text})
	}
	return edits
}

// partitionColumns are the columns of t that the relation "partition" reads.
func (w *work) partitionColumns(e *pgparse.Expr) []string {
	if w.binder.content == "" || !slices.ContainsFunc(e.Tables, isPartition) {
		return nil
	}
	return []string{"lower", "upper", "value"}
}
