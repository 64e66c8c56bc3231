package policy

import (
	"fmt"

	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
)

var policyShape = shape{
	keys: append([]string{
		"description", "table", "partitions_of", "scope", "where", "join", "due", "keep", "then", "ensure", "claim", "touch", "triggers",
	}, boundKeys...),
}

func (r *reader) policies(file mapping, base bounds) []*Policy {
	f, ok := file.require("policies")
	if !ok {
		return nil
	}
	m, ok := r.mapping(f, `"policies"`, shape{})
	if ok && len(m.order) == 0 {
		r.add(codeMissing, r.fieldAt(f), "there is no policy", "", "Write at least one policy.")
	}
	type part struct {
		policy *Policy
		diags  diag.List
	}
	parts, _ := parallel.Each(m.order, func(name string) (part, error) { // one does not depend on another
		own := reader{path: r.path, source: r.source, lines: r.lines}
		p := own.policy(m.fields[name], name, base)
		return part{p, own.diags}, nil
	})
	var policies []*Policy
	for _, part := range parts {
		r.diags = append(r.diags, part.diags...)
		if part.policy != nil {
			policies = append(policies, part.policy)
		}
	}
	return policies
}

func (r *reader) policy(f field, name string, base bounds) *Policy {
	r.named(f, name, "policy")
	m, ok := r.mapping(f, fmt.Sprintf("policy %q", name), policyShape)
	if !ok {
		return nil
	}
	p := &Policy{Name: name, Position: r.at(f.key), Description: r.description(m)}
	r.rows(p, m)
	s := scope{names: []string{"t"}, partitions: p.Partitions, table: p.Table}
	p.Joins, s = r.joins(m.fields["join"], s)
	if where, ok := m.fields["where"]; ok {
		p.Where = r.expression(where, s)
	}
	due := s
	due.rank, due.guards = true, r.guardNames(m.fields["keep"])
	p.Due = r.due(m.fields["due"], due)
	r.noScope(p, m.fields["scope"])
	p.Keep = r.keep(m.fields["keep"], s)
	p.Then = r.then(m, p, s)
	p.Ensure = r.ensure(m.fields["ensure"])
	p.Claim, p.Touch = r.claim(m.fields["claim"], p), r.touch(m.fields["touch"])
	p.Triggers = r.triggers(m.fields["triggers"])
	b := r.boundsOf(m, base)
	p.Batch, p.Budget, p.Breaker, p.Throttle = b.batch, b.budget, b.breaker, b.throttle
	if !m.has("where") && !m.has("due") {
		r.add(codeNoRows, r.at(f.key), m.what+` needs "where" or "due"`, "Without both every row of the table would go.", `Say which rows the policy is about ("where") or when they go ("due").`)
	}
	return p
}

// rows reads what the policy's rows are: those of a table, or its partitions.
func (r *reader) rows(p *Policy, m mapping) {
	of, partitions := m.fields["partitions_of"]
	table, ok := m.fields["table"]
	switch {
	case ok && partitions:
		r.add(codeConflict, r.at(of.key), `"table" and "partitions_of" exclude each other`, "The rows of a policy are those of a table, or its partitions.", "Remove one of the two.")
	case partitions:
		p.Partitions = true
		p.Table, _ = r.table(of)
		r.partitionKeys(m)
	case ok:
		p.Table, _ = r.table(table)
	default:
		m.require("table")
	}
	p.Scope = r.columns(m.fields["scope"])
}

// partitionKeys refuses what is about rows of a table.
func (r *reader) partitionKeys(m mapping) {
	for _, key := range []string{"scope", "ensure", "claim", "touch"} {
		if f, ok := m.fields[key]; ok {
			r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is not allowed under \"partitions_of\"", key), "The rows of the policy are partitions.", "Remove the key, or write it in a policy of the table.")
		}
	}
}

func (r *reader) description(m mapping) string {
	f, ok := m.fields["description"]
	if !ok {
		return ""
	}
	text, _ := r.text(f)
	return text
}

// references checks that jobs run policies and reports of the file, each once, and that a name is
// one of the two.
func (r *reader) references(f *File) {
	names := r.runnable(f)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, j := range f.Jobs {
		first := map[string]diag.Position{}
		for _, ref := range j.Run {
			if !known[ref.Name] {
				r.add(codeUnknownPolicy, ref.Position, fmt.Sprintf("job %q runs an unknown policy or report %q", j.Name, ref.Name), "", didYouMean(ref.Name, names))
			}
			if at, ok := first[ref.Name]; ok {
				r.add(codeRunTwice, ref.Position, fmt.Sprintf("job %q already runs %q", j.Name, ref.Name), fmt.Sprintf("The first place is %s.", at), "")
				continue
			}
			first[ref.Name] = ref.Position
		}
	}
}

// runnable lists what a job may run: policies and reports share one set of names.
func (r *reader) runnable(f *File) []string {
	var names []string
	policies := map[string]diag.Position{}
	for _, p := range f.Policies {
		names = append(names, p.Name)
		policies[p.Name] = p.Position
	}
	for _, report := range f.Reports {
		names = append(names, report.Name)
		if at, ok := policies[report.Name]; ok {
			r.add(codeSameName, report.Position, fmt.Sprintf("%q is the name of a policy already", report.Name), fmt.Sprintf("The policy is at %s; jobs run both by name.", at), "Choose another name.")
		}
	}
	return names
}

// protected checks that nothing changes a protected table's rows: steps may insert and archive into
// it, no more.
func (r *reader) protected(f *File) {
	for _, p := range f.Policies {
		r.spare(f.Protect, p.Table, fmt.Sprintf("policy %q", p.Name))
		for _, step := range p.Then {
			r.spareFrom(f.Protect, step)
		}
		for _, entry := range p.dueEntries() {
			if entry.Clock != nil && entry.Clock.Watermark != nil {
				r.spare(f.Protect, entry.Clock.Watermark.Table, `"watermark"`)
			}
		}
		if p.Claim != nil && p.Claim.Cursor != nil {
			r.spare(f.Protect, p.Claim.Cursor.Table, `"cursor"`)
		}
	}
}

func (r *reader) spareFrom(protected []Table, s Step) {
	if s.Related != nil && (s.Delete != nil || s.Update != nil) {
		r.spare(protected, s.Related.Table, "a step on related rows")
	}
	switch {
	case s.Delete != nil:
		for _, t := range s.Delete.Cascades {
			r.spare(protected, t, `"cascades"`)
		}
	case s.Archive != nil && s.Archive.Existing == "replace":
		r.spare(protected, s.Archive.Into, `"existing: replace"`)
	case s.SQL != nil:
		for _, u := range writes(s.SQL) {
			if u.Access.Update && !u.Access.Insert || u.Access.Delete {
				r.spare(protected, u.Table, "a statement")
			}
		}
	}
}

func (r *reader) spare(protected []Table, t Table, what string) {
	for _, p := range protected {
		if p.same(t) {
			r.add(codeProtected, t.Position, fmt.Sprintf("%s would change or take rows of the protected table %q", what, t), fmt.Sprintf("It is protected at %s.", p.Position), "Take the table out here, or out of \"protect\".")
		}
	}
}

// settled says whether the steps make the policy's rows go, or no longer due: otherwise the next
// run would find them again.
func (p *Policy) settled(steps []Step) bool {
	for _, entry := range p.dueEntries() {
		if entry.Clock != nil && entry.Clock.Watermark != nil {
			return true
		}
	}
	read, all := p.judgedBy()
	for _, s := range steps {
		switch {
		case s.Detach != nil, s.Drop != nil, s.Delete != nil && s.Related == nil:
			return true
		case s.Update != nil && s.Related == nil:
			for _, a := range s.Update.Set {
				if all || read[a.Column] {
					return true
				}
			}
		case s.SQL != nil:
			for _, u := range writes(s.SQL) {
				if u.Table.same(p.Table) {
					return true
				}
			}
		}
	}
	return false
}

// judgedBy lists the columns of the row that where, due and keep read; all is true where they read
// other tables as well, which a step may change.
func (p *Policy) judgedBy() (read map[string]bool, all bool) {
	read = map[string]bool{}
	var l parts
	l.expr(p.Where)
	for _, entry := range p.dueEntries() {
		if entry.Clock != nil {
			read[entry.Clock.Column] = true
		}
		l.clock(entry.Clock)
		l.rank(entry.Beyond)
	}
	for _, g := range p.Keep {
		l.expr(g.Condition)
		l.rank(g.Rank)
	}
	for _, part := range l.list {
		if part.Kind == IsExpression {
			all = part.judged(read) || all
		}
	}
	return read, all
}

// judged adds the row's columns that an expression reads, and says whether it reads more.
func (p Part) judged(read map[string]bool) (more bool) {
	parsed, err := p.Parse()
	if err != nil {
		return true // reported when it was read
	}
	more = parsed.Subquery
	for _, c := range parsed.Columns {
		switch {
		case len(c.Fields) == 1 && !c.Star:
			read[c.Fields[0]] = true
		case len(c.Fields) == 2 && c.Fields[0] == "t" && !c.Star:
			read[c.Fields[1]] = true
		case len(c.Fields) > 0 && c.Fields[0] != "keep":
			more = true
		}
	}
	return more
}

func (r *reader) leftDue(then field, what string, partitions bool) {
	if partitions {
		r.add(codeNoDelete, r.at(then.key), what+" leaves its partitions due", "No step detaches or drops them, so the next run would find them again.", `Add "detach" or "drop" to "then".`)
		return
	}
	r.add(codeNoDelete, r.at(then.key), what+" leaves its rows due",
		"No step deletes the rows of the policy's table, and none sets a column that where, due or keep read, so the next run would find them again.", `Add "delete" to "then", or an "update" that sets such a column.`)
}

var ensureShape = shape{keys: []string{"type", "default"}}

// ensure reads the columns that the policy adds to its table.
func (r *reader) ensure(f field) []Column {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"ensure"`, shape{})
	var columns []Column
	for _, key := range m.order {
		f := m.fields[key]
		column := Column{Name: r.columnName(field{value: f.key}), Position: r.at(f.key)}
		c, ok := r.mapping(f, fmt.Sprintf("column %q", key), ensureShape)
		if !ok {
			continue
		}
		if typeName, ok := c.require("type"); ok {
			column.Type = r.typeName(typeName)
		}
		column.Default = r.columnDefault(c.fields["default"])
		columns = append(columns, column)
	}
	return columns
}

func (r *reader) typeName(f field) string {
	text, ok := r.text(f)
	if !ok {
		return ""
	}
	if err := pgparse.TypeName(text); err != nil {
		r.add(codeType, r.at(f.value), fmt.Sprintf("invalid column type %q", text), fmt.Sprintf("PostgreSQL's grammar says: %s.", err), "Write a type only, for example timestamptz; the default has a key of its own.")
	}
	return text
}

// columnDefault may read the clock, unlike all other expressions: it is the table's, and its
// value is taken when a row is written.
func (r *reader) columnDefault(f field) *Expr {
	if f.value == nil {
		return nil
	}
	e, ok := r.raw(f)
	if !ok {
		return nil
	}
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		r.sqlError(e, "expression", err)
		return nil
	}
	if len(parsed.Columns) > 0 || parsed.Subquery || parsed.Parameter {
		r.add(codeType, e.Position, "a default cannot name columns, queries or parameters", "", "Write a constant or a function, for example now().")
	}
	return &e
}
