package generator

import (
	"slices"

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// passEntry is one element of policy.passes in the registry: how a run walks through the rows of an entry of "due".
type passEntry struct {
	Cursor [][2]string `json:"cursor,omitempty"` // expressions on t, with their types
	Range  bool        `json:"range,omitempty"`  // one statement may take the rows between two positions
	Ranked bool        `json:"ranked,omitempty"`
	Groups string      `json:"groups,omitempty"` // the functions of a pass by rank alone
	Beyond string      `json:"beyond,omitempty"`
	Index  bool        `json:"indexed,omitempty"`  // an index can give the order of a rank
	Bound  string      `json:"bound,omitempty"`    // what ends the walk
	More   bool        `json:"filtered,omitempty"` // the rows meet more than that
	Guards bool        `json:"guarded,omitempty"`  // the statement of way RANGE leaves rows that guards keep
	Share  string      `json:"share,omitempty"`    // the function that locks what they read
	Whole  bool        `json:"whole,omitempty"`    // no row may be passed by: a watermark moves past it
}

// functions are those by which a run takes rows.
func (w *work) functions() ([]Object, []passEntry) {
	var objects []Object
	var entries []passEntry
	for _, p := range w.passes() {
		entry := passEntry{Range: w.inRange(), Ranked: p.beyond != nil, Whole: p.clock != nil && p.clock.mark != ""}
		if p.clock == nil && p.beyond != nil {
			entry.Groups, entry.Beyond = w.policy.Name+"_groups", w.policy.Name+"_beyond"
			entry.Index = p.beyond.columns && p.beyond.Count == nil && !slices.ContainsFunc(p.beyond.Keys, func(k groupKey) bool { return !k.notNull })
			objects = append(objects, w.groups(p, "groups", entry.Groups), w.groups(p, "beyond", entry.Beyond))
		} else {
			for _, c := range w.cursor(p) {
				entry.Cursor = append(entry.Cursor, [2]string{plainText(c.Expr), c.Type})
			}
			entry.Bound, entry.More = w.boundOf(p)
		}
		if shares := w.share(); entry.Range && len(w.guards) > 0 {
			entry.Guards = true
			if len(shares) > 0 {
				entry.Share = w.policy.Name + "_share"
				objects = append(objects, shares...)
			}
		}
		entries = append(entries, entry)
	}
	return append(objects, w.take()), entries
}

// boundOf is the condition of a pass on its clock, and whether it has others besides: a run that goes on where one
// ended begins behind all rows that were looked at.
func (w *work) boundOf(p pass) (bound string, more bool) {
	if p.clock == nil || p.nulls || !w.byClock(p) {
		return "true", false
	}
	bounds := p.clock.bounds()
	return plainText(inline(bounds)), p.clock.mark == "" && len(w.dueOf(p)) > len(bounds)
}

// function is a generated function; signature is its name and argument types. Where nobody asks for texts
// it has none: they are most of the work, and can be refused no more.
func (w *work) function(signature, template string, data any) Object {
	name := w.schema() + "." + signature
	o := Object{
		Kind: KindFunction, Name: name, As: AsOwner,
		Policy: w.policy.Name, Table: tableName(w.table), Position: w.policy.Position,
	}
	if !w.onlyCheck {
		o.SQL = object(template, data)
	}
	return o.forWorker(w.file.Install.Roles)
}

// forWorker lets the worker call a function that runs as its caller.
func (o Object) forWorker(roles policy.Roles) Object {
	if !roles.None {
		o.Grants = append(o.Grants, roles.Worker)
	}
	return o
}

// forPeople lets operators and viewers, too, call or read an object.
func (w *work) forPeople(o Object) Object {
	if roles := w.file.Install.Roles; !roles.None {
		o.Grants = append(o.Grants, roles.Operator, roles.Viewer)
	}
	return o
}

// asMigrator makes an object the migrating role's, for the worker to call.
func (w *work) asMigrator(o Object) Object {
	o.As = AsMigrator
	if roles := w.file.Install.Roles; !roles.None {
		o.Grants = []string{roles.Worker}
	}
	return o
}

// groups are the functions of a rank alone: which groups hold too many rows, and which rows these are.
func (w *work) groups(p pass, template, name string) Object {
	r := p.beyond.orAllRows()
	data := struct {
		Schema, Function, Signature, Policy, TableComment string
		*ranked
		GroupRows        []sqlText
		Order, RankOrder []orderItem
	}{
		Schema: w.schema(), Function: name, Signature: name + "(" + w.schema() + ".slice)", Policy: w.policy.Name,
		TableComment: comment(tableName(w.table)), ranked: r, GroupRows: p.beyond.rowsOfGroup(),
		// Batches skip the rows that they passed by: ties must not change places between them.
		Order: w.withKey(p.beyond.inGroup.Order), RankOrder: p.beyond.inGroup.Order,
	}
	return w.function(data.Signature, template, data)
}

// orAllRows is the rank with a condition in any case.
func (r *ranked) orAllRows() *ranked {
	if len(r.Rows) > 0 {
		return r
	}
	copied := *r
	copied.Rows = []sqlText{"true"}
	return &copied
}

// countData is what the template rows reads.
type countData struct {
	Schema, Function, Signature, Policy string
	Table                               sqlText
	Plain                               bool
	Joins                               []join
	Columns                             []windowColumn
	Ranks                               []*ranked
	Places                              []places
	Due                                 []sqlText
	Guards                              []countGuard
	Passed                              sqlText
}

type countGuard struct {
	Null sqlText // the guard cannot say; "" for one that always can
	Kept sqlText
	Name literal
}

// judgedData says which rows are due and what keeps them, in one statement for all rows.
func (w *work) judgedData(function, signature string) countData {
	d := countData{
		Schema: w.schema(), Function: function, Signature: signature, Policy: w.policy.Name,
		Table: qualified(w.table), Joins: w.joins, Columns: w.columns,
	}
	d.Due = w.rowsDue()
	for _, g := range w.guards {
		if g.rank != nil {
			d.Places = append(d.Places, g.rank.places())
			d.Guards = append(d.Guards, countGuard{Kept: fragment("among places", g.rank), Name: literal(g.name)})
			continue
		}
		d.Guards = append(d.Guards, countGuard{Kept: g.cond, Null: fragment("is null", g.cond), Name: literal(g.name)})
	}
	for _, r := range w.beyonds {
		if r != nil {
			d.Places = append(d.Places, r.places())
		}
	}
	d.Passed = w.passed()
	d.Plain = len(d.Guards) == 0 && d.Passed == ""
	return d
}

// places is the relation of rows that a rank spares or takes.
type places struct {
	Name, Table sqlText
	Keys        []groupKey
	Places      sqlText
}

func (r *ranked) places() places { return places{r.Name, r.Table, r.Keys, r.firstPlaces()} }

// anyDue is "where" and any entry of "due"; beyond is the fragment that says a rank takes a row.
func (w *work) anyDue(beyond string) []sqlText {
	var due []sqlText
	if w.where != nil {
		due = append(due, w.where.sql)
	}
	var entries [][]sqlText
	for i := range w.clocks {
		var entry []sqlText
		if w.clocks[i] != nil {
			entry = append(entry, w.clocks[i].condition()...)
		}
		if w.beyonds[i] != nil {
			entry = append(entry, fragment(beyond, w.beyonds[i].orAllRows()))
		}
		entries = append(entries, entry)
	}
	switch {
	case len(entries) == 1:
		due = append(due, entries[0]...)
	case len(entries) > 1:
		any := make([]sqlText, len(entries))
		for i, entry := range entries {
			any[i] = every(entry)
		}
		due = append(due, either(any))
	}
	due = append(due, w.scopeConditions()...)
	if len(due) == 0 {
		due = append(due, "true")
	}
	return due
}

// passed is the condition under which the own step takes a row, "" when it takes them all. It is
// left out where it reads what only a step knows.
func (w *work) passed() sqlText {
	own := w.ownStep()
	if own == nil || own.Where == nil || len(w.headersRead(*own)) > 0 {
		return ""
	}
	return enclosed(w.bind(*own.Where))
}

// ownStep is the only step that takes the batch's own rows; nil when there are several or none.
func (w *work) ownStep() *step {
	var own []step
	for _, s := range w.steps() {
		if s.Related == nil && (s.Delete != nil || s.Update != nil && !w.deletes()) {
			own = append(own, s)
		}
	}
	if len(own) != 1 {
		return nil
	}
	return &own[0]
}

// registryRow is the policy's row in the registry. Its hash covers the functions and the runtime's
// version, so that a run under way ends when any of them changes.
func (w *work) registryRow(functions []Object, passes []passEntry, facts rowFacts, steps []stepEntry) Object {
	r := w.fields(passes, facts, steps, w.expects(functions))
	texts := []string{sqlfiles.Version}
	for _, f := range functions {
		texts = append(texts, f.SQL)
	}
	for _, f := range r {
		texts = append(texts, encode(f.Value))
	}
	o := w.policyObject(w.policy.Name, slices.Insert(r, 2, rowField{"hash", Hash(texts...), nil}))
	o.Table, o.Position, o.Words = w.policy.Table.String(), w.policy.Position, append([]string{w.way()}, policyWords(w.policy)...)
	return o
}

func (w *work) policyObject(name string, r row) Object {
	d := struct {
		Schema string
		Name   literal
		Row    sqlText
	}{w.schema(), literal(name), r.page(len("SELECT " + w.schema() + "._register("))}
	return Object{Kind: KindPolicy, Name: name, Policy: name, As: AsOwner, SQL: object("policy", d), Drop: object("policy_drop", d), Row: r.all()}
}
