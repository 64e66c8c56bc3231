package verifier

import (
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// changed is a table that differs from the snapshot.
type changed struct {
	want, got *catalog.Table // the table in the snapshot, and the live table; got is nil if it was dropped
	facts     []catalog.Difference
}

func (c changed) name() string { return c.want.String() }

// checkSnapshot reads the tables of the snapshot like "pgretain snapshot", in one statement, and
// compares them.
func (v *inspection) checkSnapshot(r reading) error {
	v.effective = v.opt.Snapshot
	request := inspect.Request{SearchPath: v.install.SearchPath, Runtime: v.install.Schema,
		Each:   v.source.SchemaPatterns(),
		Tables: lists.Map(v.opt.Snapshot.Tables, (*catalog.Table).String)}
	live, _, err := inspect.Read(r.ctx, r.tx, request)
	if err == nil {
		err = v.compareTypes(r, live)
	}
	if err != nil {
		return err
	}
	live.Install = v.opt.Snapshot.Install // what generate has to write again is no change of a table
	if tables := v.compareTables(live); len(tables) > 0 {
		v.compareSnapshot(live, tables)
	} else {
		v.effective = live
	}
	return nil
}

// compareTypes sets the types of expressions in "live". It uses the server's answers, or the types
// of the snapshot where the server gives no answer.
func (v *inspection) compareTypes(r reading, live *catalog.Snapshot) error {
	answers, err := inspect.ReadTypes(r.ctx, r.tx, v.source, live)
	if err != nil {
		return err
	}
	for _, a := range answers {
		want := v.opt.Snapshot.Types[a.Key]
		switch p := v.policyAt(a.Expr.Position); {
		case a.Err != nil && want != "":
			live.Types[a.Key] = want
		case a.Err != nil, want == "", p == nil, want == a.Type:
		default:
			m := messages.OtherType(p.Name, a.Key, want, a.Type)
			m.Position = a.Expr.Position
			v.add(m)
		}
	}
	return nil
}

// compareTables returns the tables that differ from the snapshot. It leaves out:
//   - partitions, unless the file names them
//   - dropped tables that the file names, because they have a finding
//   - columns and indexes that migrations created since the snapshot
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
			c.facts = []catalog.Difference{{Property: catalog.Property{Kind: "table"}, Want: want.Kind}}
		default:
			c.facts = slices.DeleteFunc(catalog.Differences(want, c.got), func(d catalog.Difference) bool {
				return d.Want == "" &&
					(made[d.Kind+" "+c.name()+"."+d.Name] || made[d.Kind+" "+want.Schema+"."+d.Name])
			})
		}
		if len(c.facts) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// consequence is what the generator would do differently with the live tables: generate another
// object, or refuse a policy.
type consequence struct {
	policy  *policy.Policy // nil if the object belongs to no policy
	refusal *messages.PolicyRefusal
	object  string // such as "+ index app.x"; "" for a refusal
}

// consequences returns what the generator would do differently with the given tables than with
// those of the snapshot.
func (v *inspection) consequences(tables *catalog.Snapshot) []consequence {
	objects, list := generator.Compile(v.source, tables, v.opt.History)
	var all []consequence
	for _, d := range list {
		if d.Severity != diag.Error && d.Severity != "" {
			continue
		}
		p, name := v.policyAt(d.Position), ""
		if p != nil {
			name = p.Name
		}
		all = append(all, consequence{policy: p, refusal: &messages.PolicyRefusal{Policy: name, Fault: d}})
	}
	if len(all) > 0 {
		return all
	}
	return lists.Map(generator.Changes(v.asked, objects), func(c generator.Change) consequence {
		o := c.Object()
		return consequence{policy: v.policies[o.Policy], object: c.Sign() + " " + string(o.Kind) + " " + o.Name}
	})
}

// compareSnapshot adds a finding on each table. It is informational if nothing depends on the
// difference. compareSnapshot first generates with all changed tables, then with each of them
// alone. If only several tables together cause a consequence, it is reported with the first table.
// A refusal that another check explains is left out.
func (v *inspection) compareSnapshot(live *catalog.Snapshot, tables []changed) {
	whole := v.consequences(live)
	if len(whole) == 0 || whole[0].refusal == nil {
		v.effective = live
	}
	own := make([][]consequence, len(tables))
	blamed := len(whole) == 0
	for i, c := range tables {
		if len(whole) > 0 {
			own[i] = v.consequences(v.snapshotWith(live, c))
		}
		blamed = blamed || len(own[i]) > 0
	}
	if !blamed {
		own[0] = whole
	}
	for i, c := range tables {
		said := func(f Finding) bool {
			return f.Object == c.name() && (isReach(f) || f.Code == messages.CodeCoverageName)
		}
		unexplained := func(e consequence) bool { return v.unexplained(c, e) }
		if slices.ContainsFunc(own[i], unexplained) || len(own[i]) == 0 &&
			!slices.ContainsFunc(v.report.Findings, said) {
			v.add(c.message(own[i]))
		}
	}
}

// snapshotWith returns the snapshot with one table in its live form, and with the new tables.
func (v *inspection) snapshotWith(live *catalog.Snapshot, c changed) *catalog.Snapshot {
	known, mixed := v.opt.Snapshot.Graph(), *v.opt.Snapshot
	mixed.Tables = slices.DeleteFunc(slices.Clone(live.Tables),
		func(t *catalog.Table) bool { return known[t.String()] != nil })
	for _, t := range v.opt.Snapshot.Tables {
		if t != c.want {
			mixed.Tables = append(mixed.Tables, t)
		} else if c.got != nil {
			mixed.Tables = append(mixed.Tables, c.got)
		}
	}
	return &mixed
}

// unexplained reports whether no other finding gives the reason for a consequence of a changed
// table. Two kinds of findings explain a refusal. One is about the table of the policy. The other
// is of group Reach and names the changed table.
func (v *inspection) unexplained(c changed, e consequence) bool {
	explains := func(f Finding) bool {
		return f.Policy == e.policy.Name && isReach(f) && f.Severity != Info &&
			(f.Table == c.name() || f.Object == c.name() || strings.HasPrefix(f.Object, c.name()+"."))
	}
	return e.refusal == nil || e.policy == nil ||
		!v.found(e.policy.Name, messages.CodeNoTable, messages.CodeUnexpected) &&
			!slices.ContainsFunc(v.report.Findings, explains)
}

// isReach reports whether a finding is of group Reach and is based on the live tables.
func isReach(f Finding) bool { return f.Group == string(messages.Reach) && f.Severity != diag.Unknown }

// message returns the finding about the table. The policy of the first consequence gives it its
// position.
func (c changed) message(otherwise []consequence) message {
	t := messages.TableChange{Table: c.name(),
		Differences: lists.Map(c.facts, func(d catalog.Difference) messages.Difference {
			return messages.Difference{Property: d.String(), Want: d.Want, Got: d.Got}
		})}
	for _, e := range otherwise {
		if e.refusal != nil {
			t.Refusals = append(t.Refusals, *e.refusal)
		} else {
			t.Objects = append(t.Objects, e.object)
		}
	}
	m := messages.TableDiffers(t)
	if len(otherwise) > 0 && otherwise[0].policy != nil {
		m.Policy, m.Position = otherwise[0].policy.Name, otherwise[0].policy.Table.Position
	}
	return m
}
