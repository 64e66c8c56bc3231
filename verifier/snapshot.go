package verifier

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/policy"
)

// lockedTables waits for the tables that checkSnapshot passed by.
func (v *inspection) lockedTables() []probe {
	return []probe{{skip: len(v.locked) == 0, about: "locked tables of the catalog snapshot", codes: []string{codeSnapshot}, check: func(r reading) error {
		_, tables, err := v.readTables(r, nil)
		if slices.ContainsFunc(tables, func(c changed) bool { return v.locked[c.name()] != 0 }) {
			return inspect.ErrChanged // it was let go meanwhile, changed
		}
		return err
	}}}
}

// changed is a table that the snapshot has, as it is now, nil where it is gone.
type changed struct {
	want, got *catalog.Table
	facts     []catalog.Difference
}

func (c changed) name() string { return c.want.String() }

// checkSnapshot reads the tables of the snapshot as "pgretain snapshot" does and compares. Each query
// of a reading has a snapshot of its own, so what differs is read once more: a change under way is none
// yet.
func (v *inspection) checkSnapshot(r reading) error {
	v.effective = v.opt.Snapshot
	if err := v.readLocked(r); err != nil {
		return err
	}
	live, tables, err := v.readTables(r, v.locked)
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		v.effective = live
		return nil
	}
	live, again, err := v.readTables(r, v.locked)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(tables, again, func(a, b changed) bool { return a.name() == b.name() && slices.Equal(a.facts, b.facts) }) {
		return inspect.ErrChanged
	}
	v.compareSnapshot(live, tables)
	return nil
}

// readLocked notes the snapshot's tables that are locked ACCESS EXCLUSIVE.
func (v *inspection) readLocked(r reading) error {
	type table struct {
		OID  uint32
		Name string
	}
	known := v.opt.Snapshot.Graph()
	v.locked = map[string]uint32{}
	return each(r, "locked", func(t table) {
		if known[t.Name] != nil {
			v.locked[t.Name] = t.OID
		}
	})
}

// readTables takes tables that are passed by to be as they were. A key is read with the table that refers: to the
// others are added the foreign keys by which those refer to them.
func (v *inspection) readTables(r reading, passedBy map[string]uint32) (*catalog.Snapshot, []changed, error) {
	request := inspect.Request{SearchPath: v.install.SearchPath, Runtime: v.install.Schema, Each: v.source.Words(), Tables: mapped(v.opt.Snapshot.Tables, (*catalog.Table).String)}
	for _, oid := range passedBy {
		request.Without = append(request.Without, oid)
	}
	live, _, err := inspect.Read(r.ctx, r.tx, request)
	if err != nil {
		return nil, nil, err
	}
	found := live.Graph()
	for _, want := range v.opt.Snapshot.Tables {
		if passedBy[want.String()] != 0 {
			live.Tables = append(live.Tables, want)
		} else if got := found[want.String()]; got != nil {
			for _, key := range want.Referenced {
				if passedBy[key.Table] != 0 {
					got.Referenced = append(got.Referenced, key)
				}
			}
			slices.SortStableFunc(got.Referenced, func(a, b catalog.ForeignKey) int {
				return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Table, b.Table))
			})
		}
	}
	return live, v.compareTables(live), nil
}

// compareTables leaves out partitions, which come and go, unless the file names them; tables that it names and that are
// gone, which is a finding of its own; and what migrations made since the snapshot was taken: columns, and indexes, which
// are left out of snapshots as long as they say whose they are.
func (v *inspection) compareTables(live *catalog.Snapshot) []changed {
	var list []changed
	named, made, found := map[string]bool{}, map[string]bool{}, live.Graph()
	for _, n := range v.namedTables() {
		named[n.String()] = true
	}
	for _, o := range v.objects(generator.KindColumn, generator.KindIndex) {
		made[string(o.Kind)+" "+o.Name] = true
	}
	for _, want := range v.opt.Snapshot.Tables {
		c := changed{want: want, got: found[want.String()]}
		switch {
		case want.PartitionOf != "" && !named[c.name()], c.got == nil && named[c.name()]:
			continue
		case c.got == nil:
			c.facts = []catalog.Difference{{What: "table", Want: want.Kind}}
		default:
			c.facts = slices.DeleteFunc(catalog.Differences(want, c.got), func(d catalog.Difference) bool {
				kind, name, _ := strings.Cut(d.What, " ")
				return d.Want == "" && (made[kind+" "+c.name()+"."+name] || made[kind+" "+want.Schema+"."+name])
			})
		}
		if len(c.facts) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// compareSnapshot asks the generator what a change means: nothing, other objects, or a policy that it
// refuses. It asks for one table after the other, and then for all of them.
func (v *inspection) compareSnapshot(live *catalog.Snapshot, tables []changed) {
	whole := v.compileWith(live)
	blamed := whole.none()
	for _, c := range tables {
		if whole.none() {
			v.snapshotOld(c)
		} else if e := v.compileWith(v.snapshotWith(live, c)); e.none() {
			v.snapshotOld(c)
		} else {
			blamed = true
			v.snapshotWrong(c, e)
		}
	}
	if !blamed {
		v.snapshotWrong(tables[0], whole)
	}
	if len(whole.errors) == 0 {
		v.effective = live
	}
}

// snapshotWith is the snapshot with one table as it is now, and with the tables that are new.
func (v *inspection) snapshotWith(live *catalog.Snapshot, c changed) *catalog.Snapshot {
	known := v.opt.Snapshot.Graph()
	mixed := *v.opt.Snapshot
	mixed.Tables = nil
	for _, t := range v.opt.Snapshot.Tables {
		if t == c.want {
			t = c.got
		}
		if t != nil {
			mixed.Tables = append(mixed.Tables, t)
		}
	}
	mixed.Tables = append(mixed.Tables, slices.DeleteFunc(slices.Clone(live.Tables), func(t *catalog.Table) bool { return known[t.String()] != nil })...)
	return &mixed
}

// effect is what would be generated for other tables than the snapshot's.
type effect struct {
	errors  diag.List          // the policies would be refused
	changes []string           // in words
	objects []generator.Object // that change, as wanted or as they would be
}

func (e effect) none() bool { return len(e.errors) == 0 && len(e.changes) == 0 }

func (v *inspection) compileWith(s *catalog.Snapshot) effect {
	var e effect
	objects, list := generator.Compile(v.source, s, v.opt.History)
	if list.HasErrors() {
		e.errors = slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Severity != diag.Error && d.Severity != "" })
		return e
	}
	for _, c := range generator.Changes(v.asked, objects) {
		o := c.Object()
		e.changes = append(e.changes, c.Sign()+" "+string(o.Kind)+" "+o.Name)
		e.objects = append(e.objects, *o)
	}
	return e
}

// policiesOf are those that a change is about, by the objects or the places of the errors.
func (v *inspection) policiesOf(e effect) []*policy.Policy {
	var list []*policy.Policy
	add := func(p *policy.Policy) {
		if p != nil && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for _, o := range e.objects {
		add(v.policies[o.Policy])
	}
	for _, d := range e.errors {
		add(v.policyAt(d.Position))
	}
	return list
}

// snapshotOld: what is generated would be the same. A table that another check complains of is not
// worth it.
func (v *inspection) snapshotOld(c changed) {
	if slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Object == c.name() && (isReach(f) || f.Code == codeCoverageName) }) {
		return
	}
	f := c.message()
	f.Severity = Info
	f.Detail = strings.TrimSpace(f.Detail + " Nothing that is generated depends on it.")
	v.add(f)
}

// isReach: what deletes meet has the tables as they are for its reason.
func isReach(f Finding) bool { return f.Group == string(Reach) && f.Severity != diag.Unknown }

// snapshotWrong: something else would be generated, or the policy refused. Where a check of the
// tables or of reach has found the reason, that says it better.
func (v *inspection) snapshotWrong(c changed, e effect) {
	policies := v.policiesOf(e)
	unexplained := func(p *policy.Policy) bool {
		return !v.found(p.Name, codeNoTable, codeUnexpected) &&
			!slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Policy == p.Name && isReach(f) })
	}
	if len(e.errors) > 0 && !slices.ContainsFunc(policies, unexplained) {
		return
	}
	f := c.message()
	if len(policies) > 0 {
		f.Policy, f.Position = policies[0].Name, policies[0].Table.Position
	}
	consequences := mapped(e.errors, func(d diag.Diagnostic) string {
		name := ""
		if p := v.policyAt(d.Position); p != nil {
			name = p.Name
		}
		return fmt.Sprintf("Policy %q would be refused at %s: %s [%s].", name, d.Position, d.Message, d.Code)
	})
	f.Hint = `Change the table back or the policy, then run "pgretain snapshot" and "pgretain generate".`
	if n := len(e.changes); n > 0 {
		objects := strings.Join(e.changes[:min(n, 2)], "; ")
		if n > 2 {
			objects += " and others"
		}
		consequences = append(consequences, "For the table as it is, other objects would be generated: "+objects+".")
		f.Hint = `Run "pgretain snapshot", "pgretain generate" and "pgretain migrate up".`
	}
	f.Detail = strings.TrimSpace(f.Detail + " " + shortened(consequences, 4))
	v.add(f)
}

// message has what differs: one fact as want and got, several in words.
func (c changed) message() message {
	f := message{Code: codeSnapshot, Object: c.name(), Message: fmt.Sprintf("table %q is not as the catalog snapshot has it", c.name()),
		Hint: `Run "pgretain snapshot" and check the file in.`}
	if len(c.facts) == 1 {
		f.Message += ": " + c.facts[0].What
		f.Want, f.Got = c.facts[0].Want, c.facts[0].Got
		return f
	}
	f.Detail = shortened(mapped(c.facts, func(d catalog.Difference) string {
		switch {
		case d.Want == "":
			return fmt.Sprintf("New %s: %s.", d.What, d.Got)
		case d.Got == "":
			return fmt.Sprintf("No %s any more: %s.", d.What, d.Want)
		}
		return fmt.Sprintf("Another %s: wanted %s, found %s.", d.What, d.Want, d.Got)
	}), 8)
	return f
}

// shortened are sentences in one line, cut off where it is too long to read.
func shortened(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, " ")
	}
	return strings.Join(list[:most], " ") + fmt.Sprintf(" and %d more", len(list)-most)
}
