package generator

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/lists"
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
	return draft{Object: Object{Kind: kind, Name: name, As: defaultRole(kind), Policy: w.policy.Name,
		Table: tableName(w.table), Position: w.policy.Position}, template: template, data: data}
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
func rendered(drafts []draft) []Object { return lists.Map(drafts, draft.object) }

// dropTableData is the data of the template "drop_table".
type dropTableData struct {
	functionHead
	Relation literal
}

// policyPlan is a policy as it was compiled, with all values that can be refused. planOf fills it,
// and nothing changes it afterwards. Its objects, its registry row and its description are rendered
// from it without an error.
type policyPlan struct {
	project
	dependencies
	grants
	policy *policy.Policy
	table  *catalog.Table

	ensured     []draft
	archives    []Object // compared with the history, so they are rendered
	stored      []draft
	indexes     []passIndex // indexes that a migration builds
	functions   []draft     // functions that runs call
	effects     []draft     // functions that say what the steps would do
	application []draft     // functions that applications call
	row         PolicyRow   // without dependencies, hash and description
	words       explain.Facts
	needs       []string // existing indexes by which the policy finds its rows
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
		*own = compiler{project: c.project}
		if e := c.file.EachOf(p); e != nil {
			return own.planEach(p, e), nil
		}
		return own.planOf(p), nil
	})
	for _, own := range compilers {
		c.diags = append(c.diags, own.diags...)
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
	application := w.application()
	if c.diags.HasErrors() {
		return nil
	}
	ensured, archives, stored := w.ensureColumns(), w.createdTables(), w.storedTables()
	w.checkIndexes()
	functions, passes := w.functions()
	start := w.start()
	functions = slices.Concat([]draft{w.rows()}, functions, start)
	if p.DropsTables() {
		data := &dropTableData{Relation: qualified(w.table).Literal()}
		drop := function{suffix: "drop_table", parameters: []pgparse.Parameter{in("p_table", "oid")}, returns: "void",
			language: "plpgsql", clauses: []string{"SECURITY DEFINER"}, settings: settingsOfRuntime, recreated: true}
		functions = append(functions, w.migratorFunction(drop, "drop_table", data))
	}
	if w.collectRights(); c.diags.HasErrors() {
		return nil
	}
	notes := w.conditionNotes()
	steps, restores := w.stepEntries(notes), w.restores()
	plan := &policyPlan{
		policy: p, table: w.table, ensured: ensured, archives: archives, stored: stored, functions: functions,
		effects: w.effectFunctions(steps, notes), application: application,
		row: w.registryColumns(len(start) > 0, passes, steps, restores), words: w.wordFacts(), needs: w.needs(),
	}
	if w.buildsIndexes() {
		plan.indexes = w.wantedIndexes()
	}
	plan.project, plan.dependencies, plan.grants = c.project, w.dependencies, w.grants
	return plan
}

// objects renders all objects of the policy except its registry row, in the order of creation. It
// also returns the row.
func (p *policyPlan) objects() ([]Object, *PolicyRow) {
	functions, effects := rendered(p.functions), rendered(p.effects)
	objects := slices.Concat(rendered(p.ensured), p.archives, rendered(p.stored), lists.Map(p.indexes, p.index),
		functions, effects, rendered(p.application))
	return objects, p.registryRow(functions, effects)
}

// rowObject returns the registry row as an object.
func (p *policyPlan) rowObject(r *PolicyRow) Object {
	words := explain.Policy(p.policy, p.words)
	r.Description = describedBy(words)
	o := p.registered(r.Name, p.policy.Position, r, words)
	o.Table = r.Table
	o.Needs = p.needs
	return o
}

// rendered renders the objects of policies in parallel.
func (c *compiler) rendered(policies []*policyPlan) []Object {
	refused := make([]diag.List, len(policies))
	made, _ := parallel.Each(policies, func(p *policyPlan) (objects []Object, err error) {
		if e := c.file.EachOf(p.policy); e != nil {
			objects, refused[slices.Index(policies, p)] = p.eachObjects(e)
			return objects, nil
		}
		objects, row := p.objects()
		return append(objects, p.rowObject(row)), nil
	})
	c.diags = append(c.diags, slices.Concat(refused...)...)
	return slices.Concat(made...)
}

// reportPlan is a report as it was compiled. Nothing changes it.
type reportPlan struct {
	project
	grants
	report   *policy.Report
	function draft
	row      reportRow // without hash and description
}

// reportData is the data of the template "report".
type reportData struct {
	functionHead
	Query, Alert sqlText // Alert is "" if the report raises no alert
}

// reports compiles the reports of the file.
func (c *compiler) reports() []reportPlan {
	return lists.Map(c.file.Reports, func(r *policy.Report) reportPlan {
		p := policy.Default()
		p.Name, p.Position = r.Name, r.Position
		w := c.newPolicyCompiler(p, &catalog.Table{}, outsideRun("p_as_of"))
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
		used := map[string]*dependency{}
		for _, read := range w.tablesRead(parts) {
			if read.table.Schema != w.runtimeName {
				used[tableName(read.table)] = &dependency{Kind: kindOf(read.table)}
			}
		}
		rows.Table = ""
		return reportPlan{c.project, w.grants, r, rows, reportRow{Name: r.Name, Report: true, Dependencies: used,
			Schemas: append([]string{}, w.schemas...)}}
	})
}

// objects renders the function of the report and its row in the registry.
func (r reportPlan) objects() []Object {
	rows, row, words := r.function.object(), r.row, explain.Report(r.report)
	row.Hash, row.Description = r.hashOf(rows.SQL), describedBy(words)
	return []Object{rows, r.registered(row.Name, r.report.Position, row, words)}
}
