package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/policy"
)

// compiler compiles one policy file.
type compiler struct {
	file     *policy.File
	snapshot *catalog.Snapshot
	tables   map[string]*catalog.Table // of the snapshot, by "schema.name"
	history  *History
	diags    diag.List
	rights   []right
	granted  []policy.Name // who calls functions for applications

	onlyCheck bool // functions get no texts
}

func newCompiler(file *policy.File, snapshot *catalog.Snapshot, history *History) *compiler {
	if history == nil {
		history = &History{}
	}
	c := &compiler{file: file, snapshot: snapshot, history: history, tables: map[string]*catalog.Table{}}
	for _, t := range slices.Backward(snapshot.Tables) { // of two that a name with dots may stand for, the first
		c.tables[tableName(t)] = t
	}
	return c
}

// tableNamed finds a table of the snapshot by "schema.name"; nil when there is none.
func (c *compiler) tableNamed(name string) *catalog.Table { return c.tables[name] }

// Compile says what the database should hold: the runtime and what the policies ask for, in the
// order of creation within each kind. The history tells what earlier migrations built already, so
// that a snapshot taken since makes no difference; nil means nothing. With errors among the
// diagnostics there are no objects.
func Compile(file *policy.File, snapshot *catalog.Snapshot, history *History) ([]Object, diag.List) {
	return newCompiler(file, snapshot, history).compile()
}

// Diagnose says what Compile would refuse or warn of, and takes half of the time.
func Diagnose(file *policy.File, snapshot *catalog.Snapshot, history *History) diag.List {
	c := newCompiler(file, snapshot, history)
	c.onlyCheck = true
	_, list := c.compile()
	return list
}

func (c *compiler) compile() ([]Object, diag.List) {
	objects, err := Runtime(c.file.Install)
	if err != nil {
		c.refuse(c.file.Install.Position, codeStep, err.Error(), "")
		return nil, c.diags
	}
	c.checkSearchPath()
	c.checkNames()
	objects = append(objects, c.install())
	runtime := objects
	objects = append(objects, c.policies()...)
	c.checkStored(runtime, objects)
	objects = append(objects, c.reports()...)
	objects = append(objects, c.privileges()...)
	objects = append(objects, c.jobs()...)
	c.diags.Sort()
	if c.diags.HasErrors() {
		return nil, c.diags.Unique()
	}
	return unshared(objects), c.diags
}

// checkSearchPath notices a snapshot in which names meant something else.
func (c *compiler) checkSearchPath() {
	if len(c.snapshot.SearchPath) > 0 && !slices.Equal(c.snapshot.SearchPath, c.file.Install.SearchPath) {
		c.refuse(c.file.Install.Position, codeSnapshotOld,
			fmt.Sprintf("the catalog snapshot was taken with search_path %q, the policy has %q", c.snapshot.SearchPath, c.file.Install.SearchPath),
			`Run "pgretain snapshot" again.`)
	}
}

// policies compiles all of them side by side: one does not depend on another.
func (c *compiler) policies() []Object {
	type part struct {
		compiler
		objects []Object
	}
	parts, _ := parallel.Each(c.file.Policies, func(p *policy.Policy) (part, error) {
		own := part{compiler: *c}
		own.diags, own.rights, own.granted = nil, nil, nil
		own.objects = own.compilePolicy(p)
		return own, nil
	})
	var objects []Object
	for _, part := range parts {
		c.diags = append(c.diags, part.diags...)
		for _, r := range part.rights {
			c.joinRight(r)
		}
		c.granted = append(c.granted, part.granted...)
		objects = append(objects, part.objects...)
	}
	return objects
}

// compilePolicy compiles one policy to its objects; none when it was refused.
func (c *compiler) compilePolicy(p *policy.Policy) []Object {
	if p.Partitions {
		return c.compilePartitions(p)
	}
	table := c.findTable(p)
	if table == nil || !c.checkSteps(p, table) {
		return nil
	}
	w := c.work(p, table, rowsForm())
	forApplications := c.work(p, table, applicationForm())
	application := forApplications.application()
	if c.diags.HasErrors() {
		return nil
	}
	objects := w.ensureColumns(c.tableNamed(p.Table.String()))
	objects = slices.Concat(objects, w.createdTables(), w.storedTables(), w.indexes())
	functions, passes := w.functions()
	functions = slices.Concat(functions, w.start(), w.dropFunctions())
	functions = append([]Object{w.rows()}, functions...)
	objects = append(objects, functions...)
	objects = slices.Concat(objects, application)
	w.collectRights()
	row := w.registryRow(functions, passes, w.facts(), w.stepEntries())
	row.Needs = w.needs()
	return append(objects, row)
}

// checkSteps refuses what leaves rows due or reaches too far.
func (c *compiler) checkSteps(p *policy.Policy, table *catalog.Table) bool {
	c.checkProtected(p)
	own := 0
	for _, step := range p.Then {
		c.checkHeirs(step)
		if step.Delete == nil {
			continue
		}
		from := table
		if step.Related != nil {
			if from = c.relation(step.Related.Table); from == nil {
				return false
			}
		} else {
			own++
			c.checkPastGuards(p, step, table)
		}
		c.checkReach(step, from, step.Delete.Cascades)
	}
	if p.Due != nil && ranksAlone(p.Due) > 1 {
		c.refuse(p.Due.Position, codeExpression, "two entries of \"any\" go by rank alone",
			"The second would rank what the first leaves. Write two policies, in the order that is meant.")
		return false
	}
	if own > 1 {
		c.refuse(p.Position, codeStep, fmt.Sprintf("policy %q deletes its rows twice", p.Name), "Keep one of the two steps.")
	}
	return own <= 1
}

// relation looks up a table that a join or a related step reads; nil when the snapshot has none.
func (c *compiler) relation(t policy.Table) *catalog.Table {
	table := c.tableNamed(t.String())
	if table == nil {
		c.refuse(t.Position, codeNoTable, fmt.Sprintf("table %q is not in the catalog snapshot", t),
			orHint(didYouMean(t.String(), tableNames(c.snapshot)), `Run "pgretain snapshot" after the table was created.`))
	}
	return table
}

// unshared leaves one of several objects that policies have in common: that of the first policy by name,
// so that their order in the file does not matter.
func unshared(objects []Object) []Object {
	first := map[ID]string{}
	for _, o := range objects {
		if name, seen := first[o.ID()]; isShared(o.Kind) && (!seen || o.Policy < name) {
			first[o.ID()] = o.Policy
		}
	}
	done := map[ID]bool{}
	return slices.DeleteFunc(objects, func(o Object) bool {
		if !isShared(o.Kind) {
			return false
		}
		other := done[o.ID()] || first[o.ID()] != o.Policy
		done[o.ID()] = done[o.ID()] || !other
		return other
	})
}

func isShared(kind Kind) bool {
	return kind == KindIndex || kind == KindColumn || kind == KindArchive || kind == KindPrivilege
}

// ranksAlone counts the entries that go by rank and have no clock.
func ranksAlone(due *policy.Due) int {
	count := 0
	for _, entry := range due.Entries {
		if entry.Beyond != nil && entry.Clock == nil {
			count++
		}
	}
	return count
}
