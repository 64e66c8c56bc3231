package generator

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/explain"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// draft is an object whose SQL is not rendered yet.
type draft struct {
	Object
	template string
	data     any
	declared *function // declaration of the function; nil for other objects
}

// draft returns an object of the policy. Its template reads the data.
func (w *policyCompiler) draft(kind Kind, name, template string, data any) draft {
	d := draft{Object: Object{Kind: kind, Name: name, As: defaultRole(kind), Policy: w.policy.Name,
		Position: w.policy.Position}, template: template, data: data}
	if !w.report {
		d.Table = tableName(w.table)
	}
	return d
}

// grantedTo is Object.grantedTo for a draft.
func (d draft) grantedTo(in policy.Roles, names ...string) draft {
	d.Object = d.Object.grantedTo(in, names...)
	return d
}

// object renders the object.
func (d draft) object() Object {
	made := newObject(d.Kind, d.Name, d.template, d.data, d.Position)
	if d.declared != nil {
		made = made.declaredAs(*d.declared)
	}
	d.SQL, d.Drop, d.Routine = made.SQL, made.Drop, made.Routine
	return d.Object
}

// rendered returns drafts as objects.
func rendered(drafts []draft) []Object { return each(drafts, draft.object) }

// dropTableData is the data of the template "drop_table".
type dropTableData struct {
	functionHead
	Relation literal
}

// policyPlan is a policy as it was compiled, with all values that can be refused. Its objects and
// its registry row can be rendered without an error.
type policyPlan struct {
	*policyCompiler
	columns     []draft
	archives    []Object // compared with the history, so they are rendered
	stored      []draft
	functions   []draft // functions that runs call
	effects     []draft // functions that say what the steps would do
	application []draft // functions that applications call
	passes      []passEntry
	entries     []stepEntry
}

// plan compiles the policies and the reports of the file. The compiler collects the diagnostics.
func (c *compiler) plan() ([]*policyPlan, []reportPlan) {
	c.checkSnapshot()
	policies := c.policies()
	c.checkStored(policies)
	reports := c.reports()
	c.diags.Sort()
	return policies, reports
}

// policies compiles all policies in parallel. No policy depends on another one. It leaves out
// policies that are refused.
func (c *compiler) policies() []*policyPlan {
	compilers := make([]compiler, len(c.file.Policies))
	plans, _ := parallel.Each(c.file.Policies, func(p *policy.Policy) (*policyPlan, error) {
		own := &compilers[slices.Index(c.file.Policies, p)]
		*own = compiler{file: c.file, snapshot: c.snapshot, tables: c.tables, history: c.history}
		if e := c.file.EachOf(p); e != nil {
			return own.planEach(p, e), nil
		}
		return own.planOf(p), nil
	})
	for i, own := range compilers {
		c.diags = append(c.diags, own.diags...)
		if c.granted = append(c.granted, own.granted...); c.file.EachOf(c.file.Policies[i]) == nil {
			c.rights = append(c.rights, own.rights...)
		}
	}
	return slices.DeleteFunc(plans, func(p *policyPlan) bool { return p == nil })
}

// planOf compiles one policy. It returns nil if the policy is refused.
func (c *compiler) planOf(p *policy.Policy) *policyPlan {
	table := c.rowsTable(p)
	if table == nil || !c.checkSteps(p, table) {
		return nil
	}
	w := c.newPolicyCompiler(p, table, inRun)
	w.refuseWithoutKey()
	plan := &policyPlan{policyCompiler: w}
	if plan.application = w.application(); c.diags.HasErrors() {
		return nil
	}
	plan.columns, plan.archives, plan.stored = w.ensureColumns(), w.createdTables(), w.storedTables()
	w.checkIndexes()
	functions, passes := w.functions()
	plan.functions, plan.passes = slices.Concat([]draft{w.rows()}, functions, w.start()), passes
	if p.DropsTables() {
		data := &dropTableData{Relation: qualified(w.table).Literal()}
		drop := function{suffix: "drop_table", parameters: []pgparse.Parameter{in("p_table", "oid")}, returns: "void",
			language: "plpgsql", clauses: []string{"SECURITY DEFINER"}, settings: settingsOfRuntime, recreated: true}
		plan.functions = append(plan.functions, w.migratorFunction(drop, "drop_table", data))
	}
	if w.collectRights(); c.diags.HasErrors() {
		return nil
	}
	notes := w.conditionNotes()
	plan.entries = w.stepEntries(notes)
	plan.effects = w.effectFunctions(plan.entries, notes)
	w.sources = w.restores()
	return plan
}

// objects renders all objects of the policy except its registry row, in the order of creation. It
// also returns the row.
func (p *policyPlan) objects() ([]Object, row) {
	functions, effects := rendered(p.functions), rendered(p.effects)
	objects := slices.Concat(rendered(p.columns), p.archives, rendered(p.stored), p.indexes(), functions, effects,
		rendered(p.application))
	return objects, p.registryRow(functions, effects, p.passes, p.entries)
}

// rowObject returns the registry row as an object.
func (p *policyPlan) rowObject(r row) Object {
	o := p.policyObject(r).explained(p.explained())
	o.Needs = p.needs()
	return o
}

// rendered renders the objects of policies in parallel.
func (c *compiler) rendered(policies []*policyPlan) []Object {
	for _, p := range policies {
		p.diags = nil // plan has collected them
	}
	lists, _ := parallel.Each(policies, func(p *policyPlan) ([]Object, error) {
		if e := c.file.EachOf(p.policy); e != nil {
			return p.eachObjects(e), nil
		}
		objects, row := p.objects()
		return append(objects, p.rowObject(row)), nil
	})
	for _, p := range policies {
		c.diags = append(c.diags, p.diags...)
	}
	return slices.Concat(lists...)
}

// reportPlan is a report as it was compiled.
type reportPlan struct {
	*policyCompiler
	report   *policy.Report
	function draft
	parts    []policy.SQLFragment // the SQL of the report
}

// reportData is the data of the template "report".
type reportData struct {
	functionHead
	Query, Alert sqlText // Alert is "" if the report raises no alert
}

// reports compiles the reports of the file.
func (c *compiler) reports() []reportPlan {
	return each(c.file.Reports, func(r *policy.Report) reportPlan {
		p := policy.Default()
		p.Name, p.Position = r.Name, r.Position
		w := c.newPolicyCompiler(p, &catalog.Table{}, outsideRun("p_as_of"))
		w.report = true
		data, parts := &reportData{Query: w.bindQuery(r.Query, false)}, r.Fragments()
		if r.Alert != nil { // except as_of, its names are columns of the query; only the server knows them
			data.Alert = w.valueFrom(*r.Alert, nil, "")
			parts = append(parts, policy.SQLFragment{Expr: *r.Alert})
		}
		for _, part := range parts {
			w.noteReads(part)
		}
		rows := w.forOperatorsAndViewers(w.function(function{suffix: "report", returns: "TABLE", language: "sql",
			clauses: []string{"STABLE"}, parameters: []pgparse.Parameter{in("p_as_of", "timestamptz"),
				column("answer", "jsonb"), column("alert", "boolean")}}, "report", data))
		return reportPlan{w, r, rows, parts}
	})
}

// objects renders the function of the report and its row in the registry.
func (r reportPlan) objects() []Object {
	dependencies := map[string]*dependency{}
	for _, read := range r.tablesRead(r.parts) {
		if read.table.Schema != r.schema() {
			dependencies[tableName(read.table)] = &dependency{Kind: kindOf(read.table)}
		}
	}
	rows := r.function.object()
	columns := row{field("name", r.policy.Name), field("report", true), field("dependencies", dependencies),
		field("schemas", append([]string{}, r.schemas...))}
	return []Object{rows, r.policyObject(r.hashed(columns, rows.SQL)).explained(explain.Report(r.report))}
}
