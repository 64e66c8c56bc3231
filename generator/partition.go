package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/internal/shards"
	"pgretain/policy"
)

// partitioned is the table of a policy on partitions: PARTITION BY RANGE, BY LIST, or BY LIST over RANGE.
type partitioned struct {
	table  *catalog.Table
	key    *catalog.Column // bounds are its values
	byList bool            // a partition holds one value of the key, which is both its bounds
	value  *catalog.Column // of the list above ranges, nil without one
}

// ofValues says whether each partition holds one value, its bounds.
func (t *partitioned) ofValues() bool { return t != nil && t.byList }

// keyFloors are the smallest values of the types that bounds may have.
var keyFloors = map[string]literal{
	"smallint": "-32768", "integer": "-2147483648", "bigint": "-9223372036854775808",
	"numeric": "-Infinity", "double precision": "-Infinity", "date": "-infinity",
	"timestamp without time zone": "-infinity", "timestamp with time zone": "-infinity",
	"uuid": "00000000-0000-0000-0000-000000000000",
}

// partitionedOf is the table of a policy on partitions, nil when the policy is about rows or the
// table cannot be told to be one.
func (c *compiler) partitionedOf(p *policy.Policy) *partitioned {
	table := c.tables[p.Table.String()]
	if !p.Partitions || table == nil {
		return nil
	}
	t, level := &partitioned{table: table}, table
	if table.Strategy == "list" && len(table.KeyColumns) == 1 {
		below, alike := c.below(table)
		switch {
		case !alike:
			return nil
		case below != nil && below.Strategy == "range":
			t.value, level = table.Column(table.KeyColumns[0]), below
		default:
			t.byList = true
		}
	}
	if level.Strategy != "range" && !t.byList || len(level.KeyColumns) == 0 || (t.value == nil) != (level == table) {
		return nil
	}
	if t.key = table.Column(level.KeyColumns[0]); t.key == nil {
		return nil
	}
	return t
}

// below is one partition of a list that is partitioned itself, nil when there is none, and whether all these are so alike.
func (c *compiler) below(list *catalog.Table) (below *catalog.Table, alike bool) {
	for _, name := range list.Children {
		child := c.tables[name]
		if child == nil || child.Strategy == "" {
			continue
		}
		if below != nil && (child.Strategy != below.Strategy || !slices.Equal(child.KeyColumns, below.KeyColumns)) {
			return nil, false
		}
		below = child
	}
	return below, true
}

// rowsTable is what the rows of a policy look like, nil when the policy was refused. Those of a policy on partitions are
// the partitions.
func (c *compiler) rowsTable(p *policy.Policy) *catalog.Table {
	if !p.Partitions {
		return c.findTable(p)
	}
	t := c.partitionedOf(p)
	clocksOnUpper(p, t)
	if t == nil || !c.checkPartitioned(p, t) {
		return nil
	}
	bound := catalog.Unsized(t.key.Plain())
	columns := []catalog.Column{
		{Name: "schema", Type: "text", NotNull: true}, {Name: "name", Type: "text", NotNull: true}, {Name: "parent", Type: "text", NotNull: true},
		{Name: "lower", Type: bound}, {Name: "upper", Type: bound, NotNull: true},
	}
	if t.value != nil {
		columns = slices.Insert(columns, 3, catalog.Column{Name: "value", Type: castType(t.value.Plain()), NotNull: true})
	}
	return &catalog.Table{Schema: t.table.Schema, Name: t.table.Name, Kind: "partitions", PrimaryKey: []string{"schema", "name"}, Columns: columns}
}

// clocksOnUpper gives clocks their column: age runs from the upper bound. A range whose upper bound is the cutoff itself
// holds nothing that is younger; the rows of a list are at its value, and due when a row there is.
func clocksOnUpper(p *policy.Policy, t *partitioned) {
	for _, k := range p.DueClocks() {
		k.Inclusive = !t.ofValues()
		if k.Column == "" && k.Expression == nil {
			k.Column, k.ColumnPos = "upper", k.Position
		}
	}
}

// rowsRelation is a relation with the columns of the policy's rows, for what is planned and not run.
func (w *pageWriter) rowsRelation() sqlText {
	if !w.policy.Partitions {
		return qualified(w.table)
	}
	named := func(c catalog.Column) columnText { return columnText{sqlText(c.Name), sqlText(c.Type)} }
	return fragment("partition columns", each(w.table.Columns, named))
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
	before := len(c.diags)
	defer func() {
		for i := range c.diags[before:] {
			if d := &c.diags[before+i]; d.Code == codeNoColumn && d.Hint == "" {
				d.Hint = "The rows are partitions, with schema, name, parent, lower and upper. What they hold is read with a sub-select: FROM partition."
			}
		}
	}()
	w := c.writer(p, rows, sliceInputs)
	if c.diags.HasErrors() {
		return nil
	}
	tables := slices.Concat(w.createdTables(), w.storedTables())
	functions := append([]Object{
		w.forPeople(w.function("rows", w.slice(), "rows_partitions", w.partitionFields())),
		// What only the table's owner may do is the migrating role's: the owner of the other functions cannot be a member of a
		// role that is its own member.
		w.function("partition", "oid, text", "alter_partition", fields{"Relation": literal(qualified(w.table))}).asMigrator(), w.take(),
	}, w.start()...)
	if w.collectRights(); c.diags.HasErrors() {
		return nil
	}
	return append(slices.Concat(tables, functions), w.registryRow(functions, []passEntry{{Undone: w.policy.Batch.Whole}}))
}

// checkPartitionPolicy refuses a table whose partitions cannot be told apart by time.
func (c *compiler) checkPartitionPolicy(p *policy.Policy) bool {
	table := c.relation(p.Table)
	if table == nil {
		return false
	}
	refuse := func(code, message, hint string) bool {
		c.refuse(p.Table.Position, code, fmt.Sprintf("%q %s", p.Table, message), hint)
		return false
	}
	switch {
	case table.Kind == "foreign":
		return refuse(codeTableKind, wrongKind(table), "Write a policy there.")
	case table.Kind != "partitioned":
		return refuse(codeTableKind, "is a "+table.Kind+", not a partitioned table", "Write \"table\" for a policy on rows.")
	case table.PartitionOf != "":
		return refuse(codeTableKind, fmt.Sprintf("is a partition of %q", table.PartitionOf), "Name the table above it.")
	case table.Strategy == "":
		return refuse(codeSnapshotOld, "has no partition key in the catalog snapshot", `Run "pgretain snapshot" again.`)
	case c.partitionedOf(p) == nil:
		return refuse(codeTableKind, "is not partitioned by the range or the list of a column",
			"A policy on partitions needs PARTITION BY RANGE or BY LIST on a column, no expression. Partitions of a list that are partitioned further must be so alike.")
	}
	return true
}

// checkPartitioned refuses keys without an order of their own, and protected partitions.
func (c *compiler) checkPartitioned(p *policy.Policy, t *partitioned) bool {
	if keyFloors[catalog.Unsized(t.key.Plain())] == "" {
		c.refuse(p.Table.Position, codeClockType, fmt.Sprintf("%q is partitioned by %q of type %q, which is neither a date nor a number", p.Table, t.key.Name, t.key.Type),
			"Keys may be dates, timestamps, numbers and uuid: their order says which partition is the newest, which stays.")
		return false
	}
	before := len(c.diags)
	c.checkProtected(p)
	return len(c.diags) == before
}

// checkPartitionSteps refuses steps that look into a partition which an earlier one took away.
func (c *compiler) checkPartitionSteps(p *policy.Policy) bool {
	before := len(c.diags)
	away := false
	for _, s := range p.Then {
		for _, part := range parts(s) {
			tables := part.Parsed().Tables
			if i := slices.IndexFunc(tables, isPartition); away && i >= 0 {
				c.refuse(part.Expr.At(tables[i].Offset), codeStep, "\"partition\" is empty once the partition has gone",
					"Move this step before \"detach\" or \"drop\".")
			}
		}
		away = away || s.Detach != nil || s.Drop != nil
	}
	return len(c.diags) == before
}

func isPartition(ref pgparse.TableRef) bool { return ref.Schema == "" && ref.Name == "partition" }

// content is the SQL that "partition" stands for in expressions; "" in a policy on rows.
func (t *partitioned) content() sqlText {
	if t == nil {
		return ""
	}
	value, typ := sqlText(""), catalog.Unsized(t.key.Plain())
	if t.value != nil {
		value = sqlText(quote.Ident(t.value.Name))
	}
	return fragment("partition content", fields{"Table": qualified(t.table), "Key": ident(t.key.Name), "Value": value, "ByList": t.byList,
		"KeyType": sqlText(typ), "Floor": keyFloors[typ]})
}

// partitionFields are what the functions of the policy say alike of its table, and when a partition is due and what keeps it.
func (w *pageWriter) partitionFields() fields {
	t := w.partitioned
	by, valueType := []string{t.key.Name + " " + t.key.Type}, sqlText("")
	if t.value != nil {
		by, valueType = []string{t.value.Name + " " + t.value.Type, by[0]}, sqlText(castType(t.value.Plain()))
	}
	guards := each(w.guards, func(g guard) keptBy {
		if g.rank != nil {
			return keptBy{Kept: fragment("place within", g.rank), Name: literal(g.name)}
		}
		return keptBy{Kept: fragment("not false", g.cond), Name: literal(g.name)}
	})
	ranks := each(w.ranks, func(r *ranked) *ranked {
		among := *r
		among.Table, among.Rows = "part", append([]sqlText{"NOT t.detaching", fragment("has an end", nil)}, r.Rows...)
		among.Order = append([]orderItem{{Expr: fragment("has no beginning", nil)}}, r.Order...)
		return &among
	})
	return fields{
		"Schema": sqlText(w.schema()), "KeyType": sqlText(catalog.Unsized(t.key.Plain())), "ValueType": valueType, "ByList": t.byList, "By": sqlText(quote.Array(by)),
		"Relation": literal(qualified(t.table)), "Table": sqlText("part"), "Joins": w.joins, "Columns": w.columns, "Saved": nil,
		"Ranks": ranks, "Guards": guards, "AsOf": w.asOf,
		"Due": append([]sqlText{"t.upper IS NOT NULL", "NOT t.newest"}, w.anyDue()...),
	}
}

// anyDue is "where" and any entry of "due".
func (w *pageWriter) anyDue() []sqlText {
	entries := make([][]sqlText, len(w.clocks))
	for i := range entries {
		if w.clocks[i] != nil {
			entries[i] = w.clocks[i].condition()
		}
		if w.beyonds[i] != nil {
			entries[i] = append(entries[i], fragment("place beyond", w.beyonds[i]))
		}
	}
	if len(entries) < 2 {
		return w.around(slices.Concat(entries...))
	}
	return w.around([]sqlText{either(each(entries, every))})
}

// removePartition is the step that detaches or drops the partition; "drop" detaches unless a step before it did.
func (w *pageWriter) removePartition(s step, _ batch) sqlText {
	detached := slices.ContainsFunc(w.policy.Then[:s.number-1], func(s policy.Step) bool { return s.Detach != nil })
	return stepText("step_partition", fields{"Schema": sqlText(w.schema()), "Alter": sqlText(w.policy.Name + "_partition"),
		"Action": sqlText(s.verb), "Counts": s.Drop == nil || !detached})
}

// Members is what a KindEach object stands for: the objects of every schema that its word stands for, under the word. None
// of them has a migration: the runtime makes them when a run of the member begins.
type Members struct {
	Each    *policy.Each
	Objects []Object
}

// compileEach compiles a policy for each schema: its page as that of a member in a schema of the word's name.
func (c *compiler) compileEach(p *policy.Policy, e *policy.Each) []Object {
	member := *p
	member.Name = e.Word(p.Name)
	if e.ShardsOf != "" {
		c.diags = append(c.diags, shards.Check(&member, e, c.tables)...)
	}
	parts := c.compilePolicy(&member)
	if len(parts) == 0 || c.diags.HasErrors() {
		return nil
	}
	c.member = true
	parts = withoutRepeated(append(parts, c.privileges()...))
	c.rights = nil
	return c.eachObjects(p, e, parts)
}

// eachObjects are what stands for all members of a policy: the page, and the function that gives a member what only the role
// that migrates can give.
func (c *compiler) eachObjects(p *policy.Policy, e *policy.Each, parts []Object) []Object {
	var page, admission strings.Builder
	var functions []sqlText
	for _, o := range parts {
		switch {
		case o.Kind == KindPolicy:
		case o.As == AsMigrator:
			admission.WriteString(o.SQL)
			if o.Kind == KindFunction {
				functions = append(functions, sqlText(o.Name))
			}
		default:
			page.WriteString(o.SQL)
		}
	}
	of := &parts[slices.IndexFunc(parts, func(o Object) bool { return o.Kind == KindPolicy })]
	*of = of.hashedWith(admission.String())
	roles := c.file.Install.Roles
	arguments := "text"
	if e.ShardsOf != "" {
		arguments = "text, boolean"
	}
	quote := dollarQuote([]byte(page.String()), "page")
	registers := strings.TrimSuffix(strings.TrimPrefix(of.SQL, "SELECT "+c.schema()+"._register("), ");\n")
	data := fields{"Schema": sqlText(c.schema()), "Name": literal(p.Name), "Word": literal(e.Name), "Comment": sqlText(e.Pattern()), "Shards": e.ShardsOf != "",
		"Pattern": literal(e.Pattern()), "Words": wordsText(of.Words), "Row": sqlText(registers),
		"Page": sqlText(quote + "\n" + page.String() + quote), "Policy": sqlText(p.Name), "Function": ident(p.Name + "_admit"),
		"Statements":  sqlText(admission.String()),
		"Distributed": literal(e.ShardsOf + "." + p.Table.Name),
		"Tables":      literal(encode(c.distributed(e, page.String()+admission.String()))), "Arguments": sqlText(arguments),
		"Functions": functions, "Owner": ident(roles.Owner), "Worker": ident(roles.Worker)}
	admit := Object{Kind: KindFunction, Name: c.schema() + "." + p.Name + "_admit(" + arguments + ")", As: AsMigrator, SQL: object("admit", data),
		Policy: p.Name, Table: of.Table, Position: p.Position}
	if !roles.None {
		admit.Grants = []string{roles.Owner}
	}
	r := row{{"name", p.Name, nil}, {"word", e.Name, nil}, {"schemas", e.Pattern(), nil}, {"shards", e.ShardsOf != "", nil}, {"words", pageText(of.Words), nil},
		{"page", "\n" + page.String(), nil}, {"registers", json.RawMessage(registers[strings.IndexByte(registers, '{') : strings.LastIndexByte(registers, '}')+1]), nil}}
	return []Object{admit, {Kind: KindEach, Name: p.Name, As: AsOwner, SQL: execute("each.sql.tmpl", data), Drop: object("each_drop", data),
		Policy: p.Name, Table: of.Table, Position: p.Position, Words: of.Words, Members: &Members{e, parts}, Row: r.columns()}}
}

// distributed are the tables of a schema that a page names, each with the column by which Citus distributes it: NULL for
// reference tables.
func (c *compiler) distributed(e *policy.Each, page string) map[string]*string {
	list := map[string]*string{}
	for _, t := range c.snapshot.Tables {
		if t.Schema == e.Name && t.Distribution != nil && regexp.MustCompile(regexp.QuoteMeta(tableName(t))+`\b`).MatchString(page) {
			list[t.Name] = nil
			if t.Distribution.Column != "" {
				list[t.Name] = &t.Distribution.Column
			}
		}
	}
	return list
}

// hashedWith is a member's row whose hash covers what its schema is given, too.
func (o Object) hashedWith(admission string) Object {
	before := strings.Trim(string(o.Row["hash"]), `"`)
	hash := Hash(before, admission)
	o.SQL = strings.Replace(o.SQL, before, hash, 1)
	o.Row = maps.Clone(o.Row)
	o.Row["hash"] = json.RawMessage(encode(hash))
	return o
}

// memberIndexes refuses a policy for each schema where no index of the table serves: a run does not build one, since
// nobody could write meanwhile.
func (w *pageWriter) memberIndexes() {
	for _, wanted := range w.wantedIndexes() {
		if wanted.serves == "" {
			w.refuse(w.policy.Position, codeEachIndex, fmt.Sprintf("no index of table %q leads policy %q to its rows", tableName(w.table), w.policy.Name),
				fmt.Sprintf("Let what makes the tables make it: CREATE INDEX ON %s (%s).", qualified(w.table), fragment("index items", wanted.items)))
		}
	}
}

// In are the objects of one member.
func (m *Members) In(place policy.Place) []Object {
	return each(m.Objects, func(o Object) Object { return policy.InPlace(o, place) })
}

// Hash is that of the members' rows.
func (m *Members) Hash() string {
	i := slices.IndexFunc(m.Objects, func(o Object) bool { return o.Kind == KindPolicy })
	return strings.Trim(string(m.Objects[i].Row["hash"]), `"`)
}
