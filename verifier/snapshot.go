package verifier

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/policy"
)

func (v *inspection) snapshotGroups() []group {
	if v.opt.Snapshot == nil {
		return nil
	}
	return []group{{about: "the catalog snapshot", codes: []string{codeSnapshot, codeExpression}, check: v.checkSnapshot}}
}

// lockedSnapshotGroups wait for the tables that checkSnapshot passed by.
func (v *inspection) lockedSnapshotGroups() []group {
	if len(v.locked) == 0 {
		return nil
	}
	return []group{{about: "locked tables of the catalog snapshot", codes: []string{codeSnapshot}, check: func(ctx context.Context, tx pgx.Tx) error {
		passedBy := v.locked
		v.locked = nil
		_, tables, err := v.readTruth(ctx, tx)
		v.locked = passedBy
		if err != nil {
			return err
		}
		tables = slices.DeleteFunc(tables, func(c changed) bool { return passedBy[c.name()] == 0 })
		if len(tables) > 0 {
			return inspect.ErrChanged // it was let go meanwhile, changed
		}
		return nil
	}}}
}

// changed is a table that the snapshot has, as it is now, nil where it is gone.
type changed struct {
	want, got *catalog.Table
	facts     []catalog.Difference
}

func (c changed) name() string { return c.want.Schema + "." + c.want.Name }

// checkSnapshot reads the tables of the snapshot as "pgretain snapshot" does and compares. Each query
// of a reading has a snapshot of its own, so what differs is read once more: a change under way is none
// yet.
func (v *inspection) checkSnapshot(ctx context.Context, tx pgx.Tx) error {
	v.believed = v.opt.Snapshot
	if err := v.readLocked(ctx, tx); err != nil {
		return err
	}
	live, tables, err := v.readTruth(ctx, tx)
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		v.believed = live
		return nil
	}
	live, again, err := v.readTruth(ctx, tx)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(tables, again, func(a, b changed) bool { return a.name() == b.name() && slices.Equal(a.facts, b.facts) }) {
		return inspect.ErrChanged
	}
	v.compareTruth(live, tables)
	return nil
}

// readLocked notes the snapshot's tables that somebody has to himself.
func (v *inspection) readLocked(ctx context.Context, tx pgx.Tx) error {
	type table struct {
		OID  uint32
		Name string
	}
	rows, err := seen[table](ctx, tx, v.query("locked"))
	known := byName(v.opt.Snapshot)
	v.locked = map[string]uint32{}
	for _, row := range rows {
		if known[row.Name] != nil {
			v.locked[row.Name] = row.OID
		}
	}
	return err
}

// readTruth takes tables that are locked to be as they were.
func (v *inspection) readTruth(ctx context.Context, tx pgx.Tx) (*catalog.Snapshot, []changed, error) {
	request := inspect.Request{SearchPath: v.install.SearchPath, Runtime: v.install.Schema}
	for _, t := range v.opt.Snapshot.Tables {
		request.Tables = append(request.Tables, t.Schema+"."+t.Name)
	}
	for _, oid := range v.locked {
		request.Without = append(request.Without, oid)
	}
	live, _, err := inspect.Read(ctx, tx, request)
	if err != nil {
		return nil, nil, err
	}
	v.withUnread(live)
	return live, v.compareTables(live), nil
}

// withUnread adds the locked tables as the snapshot has them, and to the others the foreign keys by which locked ones
// refer to them: a key is read with the table that refers.
func (v *inspection) withUnread(live *catalog.Snapshot) {
	found := byName(live)
	for _, want := range v.opt.Snapshot.Tables {
		name := want.Schema + "." + want.Name
		if v.locked[name] != 0 {
			live.Tables = append(live.Tables, want)
		} else if got := found[name]; got != nil {
			for _, key := range want.Referenced {
				if v.locked[key.Table] != 0 {
					got.Referenced = append(got.Referenced, key)
				}
			}
			slices.SortStableFunc(got.Referenced, func(a, b catalog.ForeignKey) int {
				return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Table, b.Table))
			})
		}
	}
}

// compareTables leaves out partitions, which come and go, unless the file names them; and tables that
// it names and that are gone, which is a finding of its own.
func (v *inspection) compareTables(live *catalog.Snapshot) []changed {
	var list []changed
	named := v.namedInFile()
	found, ours := byName(live), v.made()
	for _, want := range v.opt.Snapshot.Tables {
		c := changed{want: want, got: found[want.Schema+"."+want.Name]}
		switch {
		case want.PartitionOf != "" && !named[c.name()], c.got == nil && named[c.name()]:
			continue
		case c.got == nil:
			c.facts = []catalog.Difference{{What: "table", Want: want.Kind}}
		default:
			c.facts = slices.DeleteFunc(catalog.Differences(want, c.got), ours.onto(want))
		}
		if len(c.facts) > 0 {
			list = append(list, c)
		}
	}
	return list
}

func byName(s *catalog.Snapshot) map[string]*catalog.Table {
	tables := make(map[string]*catalog.Table, len(s.Tables))
	for _, t := range s.Tables {
		tables[t.Schema+"."+t.Name] = t
	}
	return tables
}

func (v *inspection) namedInFile() map[string]bool {
	named := map[string]bool{}
	for _, n := range v.namedTables() {
		named[n.table.String()] = true
	}
	return named
}

// made is what migrations made on tables since the snapshot was taken, by kind and name: columns, and
// indexes, which are left out of snapshots as long as they say whose they are.
type made map[string]bool

func (v *inspection) made() made {
	m := made{}
	for _, o := range v.objects(generator.KindColumn, generator.KindIndex) {
		m[string(o.Kind)+" "+o.Name] = true
	}
	return m
}

// onto says which differences of a table are ours.
func (m made) onto(t *catalog.Table) func(catalog.Difference) bool {
	return func(d catalog.Difference) bool {
		kind, name, _ := strings.Cut(d.What, " ")
		return d.Want == "" && (m[kind+" "+t.Schema+"."+t.Name+"."+name] || m[kind+" "+t.Schema+"."+name])
	}
}

// compareTruth asks the generator what a change means: nothing, other objects, or a policy that it
// refuses. It asks for one table after the other, and then for all of them.
func (v *inspection) compareTruth(live *catalog.Snapshot, tables []changed) {
	whole := v.compileWith(live)
	if whole.none() {
		for _, c := range tables {
			v.snapshotOld(c)
		}
		v.believed = live
		return
	}
	var blamed bool
	for _, c := range tables {
		if e := v.compileWith(v.snapshotWith(live, c)); e.none() {
			v.snapshotOld(c)
		} else {
			blamed = true
			v.snapshotUntrue(c, e)
		}
	}
	if !blamed {
		v.snapshotUntrue(tables[0], whole)
	}
	if len(whole.errors) == 0 {
		v.believed = live
	}
}

// snapshotWith is the snapshot with one table as it is now, and with the tables that are new.
func (v *inspection) snapshotWith(live *catalog.Snapshot, c changed) *catalog.Snapshot {
	known := byName(v.opt.Snapshot)
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
	for _, t := range live.Tables {
		if known[t.Schema+"."+t.Name] == nil {
			mixed.Tables = append(mixed.Tables, t)
		}
	}
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
	objects, list := generator.Compile(v.file, s, v.opt.History)
	if list.HasErrors() {
		var e effect
		for _, d := range list {
			if d.Severity == diag.Error || d.Severity == "" {
				e.errors = append(e.errors, d)
			}
		}
		return e
	}
	return v.effectOf(objects)
}

func (v *inspection) effectOf(objects []generator.Object) effect {
	var e effect
	wanted := map[generator.ID]generator.Object{}
	for _, o := range v.wanted {
		wanted[o.ID()] = o
	}
	for _, o := range objects {
		old, known := wanted[o.ID()]
		delete(wanted, o.ID())
		switch {
		case !known:
			e.add("+", o)
		case old.Hash() != o.Hash():
			e.add("~", o)
		}
	}
	for _, o := range v.wanted {
		if _, gone := wanted[o.ID()]; gone {
			e.add("-", o)
		}
	}
	return e
}

func (e *effect) add(sign string, o generator.Object) {
	e.changes = append(e.changes, sign+" "+string(o.Kind)+" "+o.Name)
	e.objects = append(e.objects, o)
}

// concerned are the policies that a change is about, by the objects or the places of the errors.
func (v *inspection) concerned(e effect) []*policy.Policy {
	var list []*policy.Policy
	add := func(p *policy.Policy) {
		if p != nil && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for _, o := range e.objects {
		add(v.policy(o.Policy))
	}
	for _, d := range e.errors {
		add(v.policyAt(d.Position))
	}
	return list
}

// policyAt is the policy whose text a position is in; nil for none.
func (v *inspection) policyAt(at diag.Position) *policy.Policy {
	var found *policy.Policy
	for _, p := range v.file.Policies {
		if p.Position.Line <= at.Line && (found == nil || p.Position.Line > found.Position.Line) {
			found = p
		}
	}
	return found
}
