package generator

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/shards"
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
	code, fault, hint := codeTableKind, "", ""
	switch {
	case table.Kind == "foreign":
		fault, hint = wrongKind(table), "Write a policy on that server."
	case table.Kind != "partitioned":
		fault = "is a " + table.Kind + ", not a partitioned table"
		hint = "For a policy on rows, write \"table\" instead of \"partitions_of\"."
	case table.PartitionOf != "":
		fault = fmt.Sprintf("is a partition of %q", table.PartitionOf)
		hint = "Name the partitioned table to which it belongs."
	case table.Strategy == "":
		code, fault = codeSnapshotOld, "has no partition key in the catalog snapshot"
		hint = `Run "pgretain snapshot" again.`
	case t == nil:
		fault = "is not partitioned by the range or the list of a column"
		hint = "Use a table with PARTITION BY RANGE or BY LIST on a column. If partitions of a list are partitioned " +
			"again, all must have the same partition key."
	case keyFloors[catalog.Unsized(t.key.Plain())] == "":
		code = codeClockType
		fault = fmt.Sprintf("is partitioned by %q of type %q, which is neither a date nor a number",
			t.key.Name, t.key.Type)
		hint = "Use a key of type date, timestamp, number or uuid. The order of the keys tells which partition is " +
			"the newest, and that one is kept."
	default:
		return t
	}
	c.refuse(p.Table.Position, code, fmt.Sprintf("%q %s", p.Table, fault), hint)
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
	return fragment("partition columns", each(w.table.Columns, named))
}

// checkPartitionSteps refuses steps that read a partition after an earlier step removed it.
func (c *compiler) checkPartitionSteps(p *policy.Policy) {
	removed := false
	for _, s := range p.Then {
		for _, part := range expressionsOf(s) {
			tables := part.Expr.Parsed().Tables
			if i := slices.IndexFunc(tables, isPartition); removed && i >= 0 {
				c.refuse(part.Expr.At(tables[i].Offset), codeStep,
					"\"partition\" cannot be read after \"detach\" or \"drop\"",
					"Move this step before \"detach\" or \"drop\".")
			}
		}
		removed = removed || s.Detach != nil || s.Drop != nil
	}
}

func isPartition(ref pgparse.TableRef) bool { return ref.Schema == "" && ref.Name == "partition" }

// texts returns the fields about the table that templates share.
func (t *partitioned) texts() fields {
	typ := catalog.Unsized(t.key.Plain())
	d := fields{
		"Of":        qualified(t.table),
		"Key":       ident(t.key.Name),
		"KeyType":   sqlText(typ),
		"Floor":     keyFloors[typ],
		"ByList":    t.byList,
		"Value":     ident(""),
		"ValueType": sqlText(""),
		"By":        textArray([]string{t.key.Name + " " + t.key.Type}),
	}
	if v := t.value; v != nil {
		d["Value"], d["ValueType"] = ident(v.Name), sqlText(castType(v.Plain()))
		d["By"] = textArray([]string{v.Name + " " + v.Type, t.key.Name + " " + t.key.Type})
	}
	return d
}

// partitionFields returns the fields about the policy's table that its functions share: when a
// partition is due and what keeps it.
func (w *policyCompiler) partitionFields() fields {
	d := w.partitioned.texts()
	d["Schema"], d["Table"], d["AsOf"] = sqlText(w.schema()), w.rowsFrom(), w.asOf
	d["Guards"], d["Saved"] = w.guards, nil
	d["Joins"], d["Columns"], d["Places"] = w.joins, w.columns, w.ranks
	d["Due"] = append([]sqlText{"t.upper IS NOT NULL", "NOT t.newest"}, w.dueOf(w.scans...)...)
	return d
}

// partitionRows returns the function <policy>_rows of a policy on partitions.
func (w *policyCompiler) partitionRows() Object {
	d := w.partitionFields()
	key := string(d["KeyType"].(sqlText))
	rows := function{suffix: "rows", returns: "TABLE", language: "sql", clauses: []string{"STABLE"},
		parameters: append(w.batchRange("batch"), column("rel", "oid"), column("tid", "tid"),
			column("t", w.schema()+".partition"), column("verdict", "text"), column("lower", key),
			column("upper", key))}
	return w.function(rows, "rows_partitions", d)
}

// removePartition renders the step that detaches or drops the partition. "drop" detaches it first,
// unless an earlier step did.
func (w *policyCompiler) removePartition(s step) sqlText {
	detached := slices.ContainsFunc(w.policy.Then[:s.number-1], func(s policy.Step) bool { return s.Detach != nil })
	return stepText("step_partition", fields{"Schema": sqlText(w.schema()),
		"Alter":  sqlText(w.policy.Name + "_partition"),
		"Action": sqlText(s.verb), "Counts": s.Drop == nil || !detached})
}

// Instances contains the objects of a policy for each schema. Their SQL contains a word that stands
// for the schema. No migration contains them. The runtime creates or replaces them when a run of an
// instance begins.
type Instances struct {
	Each    *policy.Each
	Objects []Object
}

// compileEach compiles a policy for each schema. It compiles one instance, in a schema that has the
// word as its name.
func (c *compiler) compileEach(p *policy.Policy, e *policy.Each) []Object {
	instance := *p
	instance.Name = e.ScriptName(p.Name)
	if e.ShardsOf != "" {
		c.diags = append(c.diags, shards.Check(&instance, e, c.tables)...)
	}
	parts := c.compilePolicy(&instance)
	if len(parts) == 0 || c.dry || c.diags.HasErrors() {
		return nil
	}
	c.instance = true
	parts = withoutRepeated(append(parts, c.privileges()...))
	c.rights = nil
	return c.eachObjects(p, e, parts)
}

// eachObjects returns the objects that serve all instances of a policy: the script, and a function.
// For each instance, the function does what only the migrating role may do.
func (c *compiler) eachObjects(p *policy.Policy, e *policy.Each, parts []Object) []Object {
	var page, admission string
	var functions []sqlText
	for _, o := range parts {
		switch {
		case o.Kind == KindPolicy:
		case o.As == AsMigrator:
			admission += o.SQL
			if o.Kind == KindFunction {
				functions = append(functions, sqlText(o.Name))
			}
		default:
			page += o.SQL
		}
	}
	if name := misplacedWord(e.Name, page); name != "" {
		c.refuse(p.Position, codeReservedName, fmt.Sprintf("name %[2]q in the SQL of policy %[1]q contains the name "+
			"that stands for a schema", p.Name, name),
			fmt.Sprintf("Rename %q under \"each\", so that no other name contains it.", e.Name))
		return nil
	}
	// The hash of an instance's row also covers the privileges on its schema.
	instances := &Instances{Each: e, Objects: parts}
	hash, instance := instances.Hash(), instances.policy()
	instance.SQL = strings.Replace(instance.SQL, hash, Hash(hash, admission), 1)
	instance.Row["hash"] = json.RawMessage(encode(Hash(hash, admission)))
	registers := strings.TrimSuffix(strings.TrimPrefix(instance.SQL, "SELECT "+c.schema()+"._register("), ");\n")
	roles, shards := c.file.Install.Roles, e.ShardsOf != ""
	data := fields{
		"Schema":      sqlText(c.schema()),
		"Name":        literal(p.Name),
		"Policy":      sqlText(p.Name),
		"Shards":      shards,
		"Word":        literal(e.Name),
		"Comment":     sqlText(e.Pattern()),
		"Pattern":     literal(e.Pattern()),
		"Words":       wordsText(instance.Words),
		"Row":         sqlText(registers),
		"Page":        inDollars("\n"+page, "script"),
		"Statements":  sqlText(admission),
		"Functions":   functions,
		"Distributed": literal(e.ShardsOf + "." + p.Table.Name),
		"Tables":      literal(encode(c.distributed(e, page+admission))),
		"Owner":       ident(roles.Owner),
		"Worker":      ident(roles.Worker),
	}
	declared := function{returns: "void", parameters: []pgparse.Parameter{in("p_schema", "text")}, language: "plpgsql",
		clauses:  []string{"SECURITY DEFINER"},
		settings: append(slices.Clone(settingsOfRuntime), setting{"lock_timeout", literal("1s")})}
	if shards {
		declared.returns, declared.parameters = "TABLE", []pgparse.Parameter{withDefault("p_place", "text", "NULL"),
			withDefault("p_grant", "boolean", "false"), column("place", "text"), column("names", "jsonb")}
	}
	data["Create"] = declared.create(sqlText(c.schema() + "." + p.Name + "_admit"))
	name := c.schema() + "." + p.Name + "_admit(" + declared.signature() + ")"
	admit := newObject(KindFunction, name, "admit", data, p.Position).declaredAs(declared).grantedTo(roles, roles.Owner)
	admit.As, admit.Policy, admit.Table = AsMigrator, p.Name, instance.Table
	entry := registers[strings.IndexByte(registers, '{') : strings.LastIndexByte(registers, '}')+1]
	r := row{
		field("name", p.Name, nil),
		field("placeholder", e.Name, nil),
		field("schemas", e.Pattern(), nil),
		field("shards", shards, nil),
		field("description", scriptText(instance.Words), nil),
		field("script", "\n"+page, nil),
		field("registers", json.RawMessage(entry), nil),
	}
	return []Object{admit, {
		Kind: KindEach, Name: p.Name, As: AsOwner,
		SQL:    execute("each.sql.tmpl", data),
		Drop:   object("each_drop", data),
		Policy: p.Name, Table: instance.Table, Position: p.Position, Words: instance.Words, Instances: instances,
		Row: r.columns(),
	}}
}

// misplacedWord returns a name in the script that contains the word but is not a schema; "" if
// there is none.
func misplacedWord(word, page string) string {
	for _, name := range regexp.MustCompile(`[\w$@]*`+word+`[\w$]*\.?`).FindAllString(page, -1) {
		if name != word+"." && !strings.Contains(name, policy.InstanceMark+word) {
			return strings.TrimSuffix(name, ".")
		}
	}
	return ""
}

// distributed returns the tables of a schema that a script names, with the distribution column of
// Citus. The column is NULL for reference tables.
func (c *compiler) distributed(e *policy.Each, page string) map[string]*string {
	list := map[string]*string{}
	for _, t := range c.snapshot.Tables {
		if t.Schema == e.Name && t.Distribution != nil &&
			regexp.MustCompile(regexp.QuoteMeta(tableName(t))+`\b`).MatchString(page) {
			list[t.Name] = nil
			if t.Distribution.Column != "" {
				list[t.Name] = &t.Distribution.Column
			}
		}
	}
	return list
}

// In returns the objects of one instance.
func (m *Instances) In(instance policy.Instance) []Object {
	return each(m.Objects, func(o Object) Object { return policy.InInstance(o, instance) })
}

// Hash returns the hash of the instances' registry rows.
func (m *Instances) Hash() string { return strings.Trim(string(m.policy().Row["hash"]), `"`) }

func (m *Instances) policy() *Object {
	return &m.Objects[slices.IndexFunc(m.Objects, func(o Object) bool { return o.Kind == KindPolicy })]
}
