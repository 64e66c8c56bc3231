//go:generate go test . -run TestGolden(Steps)?$ -update

// Package generator turns a policy file and a catalog snapshot into SQL, and SQL into the next
// migration. It is pure: no database, clock, environment, network or randomness, so the same input
// gives the same bytes.
//
//	Compile  policy.File + catalog.Snapshot + History -> []Object  objects of the database
//	Read     a migration directory                    -> History   objects of earlier migrations
//	Next     History + []Object                       -> []File    the step from the history to the objects
package generator

import (
	"cmp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// project has the policy file and the catalog, from which objects are compiled. Nothing changes it.
type project struct {
	file        *policy.File
	snapshot    *catalog.Snapshot
	tables      catalog.Graph // tables of the snapshot, with the columns of "ensure" added
	history     *History
	runtimeName string // schema of the runtime as the policies' own SQL names it
	// tables that migrations will create, but that the database of a trial does not have
	absent []string
}

// compiler plans the policies and reports of a file, and collects the diagnostics.
type compiler struct {
	project
	diags     diag.List
	questions []Question // expressions whose types the snapshot lacks
}

func newCompiler(file *policy.File, snapshot *catalog.Snapshot, history *History) *compiler {
	tables := snapshot.Graph()
	for _, p := range file.Policies {
		for _, column := range p.Ensure {
			if table := tables[p.Table.String()]; table != nil && table.Column(column.Name) == nil {
				copied := *table
				typ, _ := pgparse.FormatType(column.Type) // the reader of the file has parsed it
				added := catalog.Column{Name: column.Name, Type: typ}
				copied.Columns = append(slices.Clone(table.Columns), added)
				tables[p.Table.String()] = &copied
			}
		}
	}
	return &compiler{project: project{file: file, snapshot: snapshot, tables: tables,
		history: cmp.Or(history, &History{}), runtimeName: file.Install.Schema}}
}

// Compile returns the objects that the database should have: the runtime and the objects of the
// policies. Within each kind they are in the order of creation. The history contains what earlier
// migrations built, so a later snapshot gives the same result. A nil history is empty. If the
// diagnostics contain an error, Compile returns no objects.
func Compile(file *policy.File, snapshot *catalog.Snapshot, history *History) ([]Object, diag.List) {
	return newCompiler(file, snapshot, history).compile()
}

// CompileTrial works like Compile, but the objects are for a trial in a session's temporary schema.
// There one role does everything. SQL of a policy that names the runtime's schema reads the
// temporary schema instead. Absent tables ("schema.name") do not exist yet, because a migration will
// create them. The functions <policy>_effects do not read an archive that is absent.
func CompileTrial(
	file *policy.File, snapshot *catalog.Snapshot, history *History, schema string, absent []string,
) ([]Object, diag.List) {
	trial := *file
	trial.Install.Schema, trial.Install.Roles = schema, policy.Roles{None: true}
	c := newCompiler(&trial, snapshot, history)
	c.runtimeName, c.absent = file.Install.Schema, absent
	return c.compile()
}

func (c *compiler) compile() ([]Object, diag.List) {
	policies, reports := c.plan()
	if c.diags.HasErrors() {
		return nil, c.diags.Unique()
	}
	objects := slices.Concat(Runtime(c.file.Install), []Object{c.install()}, c.rendered(policies))
	var all grants
	for _, p := range policies {
		if all.granted = append(all.granted, p.granted...); c.file.EachOf(p.policy) == nil {
			all.rights = append(all.rights, p.rights...)
		}
	}
	for _, r := range reports {
		objects, all.rights = append(objects, r.objects()...), append(all.rights, r.rights...)
	}
	if c.diags.HasErrors() {
		return nil, c.diags.Unique()
	}
	objects = slices.Concat(objects, c.privileges(all, c.schema()), c.jobs())
	return c.writeAgain(withoutRepeated(objects)), c.diags
}

// Faults returns the diagnostics of Compile, without those about the SQL of "each". It is faster,
// because it renders no objects.
func Faults(file *policy.File, snapshot *catalog.Snapshot, history *History) diag.List {
	c := newCompiler(file, snapshot, history)
	c.plan()
	return c.diags.Unique()
}

// checkSnapshot refuses a snapshot that was taken with another search path. It also refuses names
// with control characters, because tools read generated SQL line by line.
func (c *compiler) checkSnapshot() {
	if len(c.snapshot.SearchPath) > 0 && !slices.Equal(c.snapshot.SearchPath, c.file.Install.SearchPath) {
		c.fail(messages.OtherSearchPath(c.snapshot.SearchPath, c.file.Install.SearchPath), c.file.Install.Position)
	}
	at := map[string]diag.Position{} // a table that no policy names gets the position of "install"
	for _, p := range slices.Backward(c.file.Policies) {
		at[p.Table.String()] = p.Table.Position
	}
	for _, table := range c.snapshot.Tables {
		for _, name := range append([]string{table.Schema, table.Name}, columnNames(table)...) {
			if quote.Comment(name) != name {
				c.fail(messages.ControlCharacter(name, tableName(table)),
					cmp.Or(at[tableName(table)], c.file.Install.Position))
			}
		}
	}
}

// checkSteps reports errors in the steps. It refuses:
// - a delete or an update that reaches a table which the policy must not change,
// - a step that copies rows which no step deletes,
// - a second rank in "any",
// - a second step that deletes the rows of the policy.
//
// It returns false in the last two cases.
func (c *compiler) checkSteps(p *policy.Policy, table *catalog.Table) bool {
	c.checkProtected(p)
	c.checkCopiesDeleted(p)
	own := 0
	for i, step := range p.Then {
		if step.Related != nil && (step.Delete != nil || step.Update != nil) {
			c.refuseInheritance(c.tables[step.Related.Table.String()], step.Position)
		}
		switch {
		case step.Delete == nil:
		case step.Related == nil:
			own++
			c.checkPastGuards(p, step, table)
			c.checkReach(p.Then[:i], step, p.Table.String())
		default:
			c.checkReach(p.Then[:i], step, step.Related.Table.String())
		}
	}
	ranks := 0
	for _, e := range p.DueEntries() {
		if e.Beyond != nil && !p.Partitions {
			ranks++
		}
	}
	if ranks > 1 {
		c.fail(messages.TwoRanks, p.Due.Position)
	}
	if own > 1 {
		c.fail(messages.TwoDeletes(p.Name), p.Position)
	}
	c.checkPartitionSteps(p)
	return ranks <= 1 && own <= 1
}

// withoutRepeated removes repeated objects, for example an index that several policies need. It
// keeps the object of the policy whose name sorts first, so the order of policies in the file does
// not matter.
func withoutRepeated(objects []Object) []Object {
	first := map[ID]int{}
	for i, o := range objects {
		if at, seen := first[o.ID()]; isShared(o.Kind) && (!seen || o.Policy < objects[at].Policy) {
			first[o.ID()] = i
		}
	}
	i := -1
	return slices.DeleteFunc(objects, func(o Object) bool {
		i++
		return isShared(o.Kind) && first[o.ID()] != i
	})
}

// isShared reports whether several policies can need the same object of this kind.
func isShared(kind Kind) bool { return storesData(kind) || kind == KindPrivilege || kind == KindIndex }

func (c project) schema() string { return c.file.Install.Schema }

// fail reports an error at a position of the policy file.
func (c *compiler) fail(fault diag.Diagnostic, at diag.Position) {
	fault.Position = at
	c.diags.Add(fault)
}

// warn reports a warning at a position of the policy file.
func (c *compiler) warn(finding diag.Diagnostic, at diag.Position) {
	finding.Severity, finding.Position = diag.Warning, at
	c.diags.Add(finding)
}

// relation returns the table of the snapshot that a join or a step names. If the snapshot lacks the
// table, it reports an error and returns nil.
func (c *compiler) relation(t policy.Table) *catalog.Table {
	table := c.tables[t.String()]
	if table == nil {
		c.refuseTable(t.Position, t.String())
	}
	return table
}

func (c *compiler) refuseTable(at diag.Position, name string) {
	creator := ""
	for _, p := range c.file.Policies {
		if slices.ContainsFunc(p.Then, func(s policy.Step) bool {
			return s.Archive != nil && s.Archive.Create && s.Archive.Into.String() == name
		}) {
			creator = p.Name
		}
	}
	c.fail(messages.UnknownTable(name, lists.Map(c.snapshot.Tables, tableName), creator), at)
}

// findTable returns the table of a policy. If rows of the table cannot be taken one by one, it
// reports an error and returns nil.
func (c *compiler) findTable(p *policy.Policy) *catalog.Table {
	table := c.tableWithRows(p.Table)
	if table == nil || c.refuseInheritance(table, p.Table.Position) {
		return nil
	}
	if table.PartitionOf != "" {
		c.fail(messages.RowsOfPartition(p.Table.String(), table.PartitionOf), p.Table.Position)
		return nil
	}
	for _, t := range c.tables.PartitionTree(tableName(table)) {
		if t.Kind == "foreign" {
			c.fail(messages.ForeignPartition(tableName(t), p.Table.String()), p.Table.Position)
			return nil
		}
	}
	if c.refuseNames(table, p.Table.Position, isGeneratedName) {
		return nil
	}
	return table
}

// refuseInheritance refuses a table with inheritance children, because statements on it change the
// children, too. It reports whether it refused the table.
func (c *compiler) refuseInheritance(table *catalog.Table, at diag.Position) bool {
	inherited := table != nil && table.Kind == "table" && len(table.Children) > 0
	if inherited {
		quoted := lists.Map(table.Children, func(child string) string {
			schema, name, _ := strings.Cut(child, ".")
			return quote.Qualified(schema, name)
		})
		c.fail(messages.InheritanceChildren(tableName(table), string(qualified(table)), table.Children, quoted), at)
	}
	return inherited
}

// refuseNames refuses a table if one of its columns has the name of a variable in a generated
// function. It reports whether it refused the table.
func (c *compiler) refuseNames(table *catalog.Table, at diag.Position, taken func(name string) bool) bool {
	i := slices.IndexFunc(table.Columns, func(column catalog.Column) bool { return taken(column.Name) })
	if i >= 0 {
		c.fail(messages.NamedLikeVariable(tableName(table), table.Columns[i].Name), at)
	}
	return i >= 0
}

// generatedNames are the variables of the functions that take rows. A number follows the names that
// end with "_".
var generatedNames = strings.Fields(`v_as_of v_batch v_copied v_count v_found v_ignored v_out v_rel v_rels v_rows
	v_tids v_new_ v_rels_ v_tids_ v_window_ v_written_`)

// isGeneratedName reports whether a name is a variable of the functions that take rows. PostgreSQL
// could not tell a column of this name from the variable.
func isGeneratedName(name string) bool {
	return slices.ContainsFunc(generatedNames, func(variable string) bool {
		return name == variable || strings.HasSuffix(variable, "_") && strings.HasPrefix(name, variable)
	})
}

func tableName(t *catalog.Table) string { return t.String() }

// columnOf returns the names of a column in messages.
func columnOf(table *catalog.Table, name string) messages.SQLColumn {
	return messages.SQLColumn{Table: tableName(table), Name: name, TableSQL: string(qualified(table)),
		NameSQL: quote.Ident(name)}
}

func qualified(t *catalog.Table) sqlText { return sqlText(quote.Qualified(t.Schema, t.Name)) }

func quotedTable(t policy.Table) sqlText { return sqlText(quote.Qualified(t.Schema, t.Name)) }

func tableComment(t *catalog.Table) sqlText { return sqlText(quote.Comment(tableName(t))) }

func columnNames(t *catalog.Table) []string {
	return lists.Map(t.Columns, func(c catalog.Column) string { return c.Name })
}

func textArray(values []string) sqlText { return sqlText(quote.Array(values)) }
