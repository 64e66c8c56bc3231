package generator

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// partitioned is the table of a policy on partitions. Its partitioning is RANGE, LIST, or RANGE
// below LIST.
type partitioned struct {
	table  *catalog.Table
	key    *catalog.Column // column whose values are the bounds
	byList bool            // a partition contains one value of the key, which is both bounds
	value  *catalog.Column // key of the list above ranges; nil if there is none
}

// ofValues reports whether each partition contains one value, which is both bounds.
func (t *partitioned) ofValues() bool { return t != nil && t.byList }

// keyFloors maps the types of bounds to their smallest values.
var keyFloors = map[string]literal{
	"smallint": "-32768", "integer": "-2147483648", "bigint": "-9223372036854775808",
	"numeric": "-Infinity", "double precision": "-Infinity", "date": "-infinity",
	"timestamp without time zone": "-infinity", "timestamp with time zone": "-infinity",
	"uuid": "00000000-0000-0000-0000-000000000000",
}

// partitionedOf returns the table of a policy on partitions. It returns nil if the policy is about
// rows or if the table cannot be used.
func (c *compiler) partitionedOf(p *policy.Policy) *partitioned {
	table := c.tables[p.Table.String()]
	if !p.Partitions || table == nil || len(table.KeyColumns) == 0 {
		return nil
	}
	t, level := &partitioned{table: table, byList: table.Strategy == "list"}, table
	for _, name := range table.Children {
		child := c.tables[name]
		switch {
		case !t.byList || child == nil || child.Strategy == "":
		case level != table && (child.Strategy != level.Strategy || !slices.Equal(child.KeyColumns, level.KeyColumns)):
			return nil // partitions of a list must be partitioned further in the same way
		default:
			level = child
		}
	}
	if t.byList && level.Strategy == "range" {
		t.byList, t.value = false, table.Column(table.KeyColumns[0])
	} else {
		level = table
	}
	if level.Strategy != "range" && !t.byList || (t.value == nil) != (level == table) || len(level.KeyColumns) == 0 {
		return nil
	}
	if t.key = table.Column(level.KeyColumns[0]); t.key == nil {
		return nil
	}
	return t
}

// checkPartitioned refuses a table whose partitions cannot be ordered by time, and returns nil.
func (c *compiler) checkPartitioned(p *policy.Policy) *partitioned {
	table, t := c.relation(p.Table), c.partitionedOf(p)
	if table == nil {
		return nil
	}
	name, at := p.Table.String(), p.Table.Position
	switch {
	case table.Kind == "foreign":
		c.fail(messages.PartitionsOnOtherServer(name), at)
	case table.Kind != "partitioned":
		c.fail(messages.NotPartitioned(name, table.Kind), at)
	case table.PartitionOf != "":
		c.fail(messages.PartitionsOfPartition(name, table.PartitionOf), at)
	case table.Strategy == "":
		c.fail(messages.NoPartitionKey(name), at)
	case t == nil:
		c.fail(messages.PartitionedOtherwise(name), at)
	case keyFloors[catalog.Unsized(t.key.Plain())] == "":
		c.fail(messages.PartitionKeyType(name, t.key.Name, t.key.Type), at)
	default:
		return t
	}
	return nil
}

// rowsTable returns the columns of a policy's rows as a table; nil if the policy is refused. For a
// policy on partitions, the rows are the partitions.
func (c *compiler) rowsTable(p *policy.Policy) *catalog.Table {
	if !p.Partitions {
		return c.findTable(p)
	}
	t := c.checkPartitioned(p)
	if t == nil {
		return nil
	}
	// The age of a partition begins at its upper bound. A range whose upper bound equals the cutoff
	// contains only older rows. In a list partition all rows have one value. It is due when a row
	// with this value is due.
	for _, k := range p.DueClocks() {
		if k.Inclusive = !t.byList; k.Column == "" && k.Expression == nil {
			k.Column, k.ColumnPos = "upper", k.Position
		}
	}
	bound := catalog.Unsized(t.key.Plain())
	columns := []catalog.Column{
		{Name: "schema", Type: "text", NotNull: true},
		{Name: "name", Type: "text", NotNull: true},
		{Name: "parent", Type: "text", NotNull: true},
		{Name: "lower", Type: bound},
		{Name: "upper", Type: bound, NotNull: true},
	}
	if t.value != nil {
		columns = slices.Insert(columns, 3,
			catalog.Column{Name: "value", Type: castType(t.value.Plain()), NotNull: true})
	}
	return &catalog.Table{Schema: t.table.Schema, Name: t.table.Name, Kind: "partitions",
		PrimaryKey: []string{"schema", "name"}, Columns: columns}
}

// rowsRelation returns a relation with the columns of the policy's rows, for statements that are
// planned but not executed.
func (w *policyCompiler) rowsRelation() sqlText {
	if !w.policy.Partitions {
		return qualified(w.table)
	}
	named := func(c catalog.Column) columnText { return columnText{sqlText(c.Name), sqlText(c.Type)} }
	return fragment("partition columns", lists.Map(w.table.Columns, named))
}

// checkPartitionSteps refuses steps that read a partition after an earlier step removed it.
func (c *compiler) checkPartitionSteps(p *policy.Policy) {
	removed := false
	for _, s := range p.Then {
		for _, part := range expressionsOf(s) {
			tables := part.Expr.Parsed().Tables
			if i := slices.IndexFunc(tables, isPartition); removed && i >= 0 {
				c.fail(messages.PartitionIsGone, part.Expr.At(tables[i].Offset))
			}
		}
		removed = removed || s.Detach != nil || s.Drop != nil
	}
}

func isPartition(ref pgparse.TableRef) bool { return ref.Schema == "" && ref.Name == "partition" }

// partitionTexts is the table of a policy on partitions as templates read it.
type partitionTexts struct {
	Of        sqlText
	Key       ident
	KeyType   sqlText
	Floor     literal
	ByList    bool
	Value     ident   // column with the value of a list partition; "" if there is none
	ValueType sqlText // its type
	By        sqlText
}

func (t *partitioned) texts() partitionTexts {
	typ, key := catalog.Unsized(t.key.Plain()), t.key.Name+" "+t.key.Type
	texts := partitionTexts{Of: qualified(t.table), Key: ident(t.key.Name), KeyType: sqlText(typ),
		Floor: keyFloors[typ], ByList: t.byList, By: textArray([]string{key})}
	if v := t.value; v != nil {
		texts.Value, texts.ValueType = ident(v.Name), sqlText(castType(v.Plain()))
		texts.By = textArray([]string{v.Name + " " + v.Type, key})
	}
	return texts
}

// duePartitions says for templates when a partition is due and what keeps it.
type duePartitions struct {
	partitionTexts
	fromClause
	Schema, AsOf sqlText
	Guards       []guard
	Places       []*ranked
	Due          []sqlText
	Saved        []savedColumn
}

func (w *policyCompiler) duePartitions() *duePartitions {
	return &duePartitions{partitionTexts: w.partitioned.texts(),
		fromClause: fromClause{w.rowsFrom(), w.joins, w.columns}, Schema: sqlText(w.schema()), AsOf: w.asOf,
		Guards: w.guards, Places: w.ranks,
		Due: append([]sqlText{"t.upper IS NOT NULL", "NOT t.newest"}, w.dueOf(w.scans...)...)}
}

// partitionRowsData is the data of the template "rows_partitions".
type partitionRowsData struct {
	functionHead
	Partitions *duePartitions
}

// partitionRows returns the function <policy>_rows of a policy on partitions.
func (w *policyCompiler) partitionRows() draft {
	data := &partitionRowsData{Partitions: w.duePartitions()}
	key := string(data.Partitions.KeyType)
	rows := function{suffix: "rows", returns: "TABLE", language: "sql", clauses: []string{"STABLE"},
		parameters: append(w.batchRange("batch"), column("rel", "oid"), column("tid", "tid"),
			column("t", w.schema()+".partition"), column("verdict", "text"), column("lower", key),
			column("upper", key))}
	return w.function(rows, "rows_partitions", data)
}

// removePartition renders the step that detaches or drops the partition. "drop" detaches it first,
// unless an earlier step did.
func (w *policyCompiler) removePartition(s step) sqlText {
	detached := slices.ContainsFunc(w.policy.Then[:s.number-1], func(s policy.Step) bool { return s.Detach != nil })
	return stepText("step_partition", partitionStep{sqlText(w.schema()), sqlText(w.policy.Name + "_partition"),
		sqlText(s.verb), s.Drop == nil || !detached})
}

// partitionStep is the data of the template "step_partition". Alter is the name of a function.
type partitionStep struct {
	Schema, Alter, Action sqlText
	Counts                bool
}
