package verifier

import (
	"strings"

	"pgretain/policy"
)

// readReach asks what statements of policies do to tables, to any depth: partitions, and what foreign keys do. Query
// reach describes the answer, by which the others of that name go.
func (v *inspection) readReach(r reading) (err error) {
	var policies, tables, events []string
	var steps []int
	add := func(p *policy.Policy, step int, table policy.Table, event string) {
		policies, steps, tables, events = append(policies, p.Name), append(steps, step), append(tables, table.String()), append(events, event)
	}
	for _, p := range v.file.Policies {
		for _, d := range p.Deletes() {
			add(p, d.Step, d.Table, "DELETE")
		}
		for _, use := range p.Uses() {
			if use.Access.Update {
				add(p, -1, use.Table, "UPDATE")
			}
			if use.Access.Insert {
				add(p, -1, use.Table, "INSERT")
			}
		}
		for _, s := range p.Then {
			if s.Detach != nil {
				add(p, len(p.Then), p.Table, "DETACH")
			}
			if s.Drop != nil {
				add(p, len(p.Then), p.Table, "DROP")
			}
		}
	}
	v.reach, err = collectJSON(r, "reach", policies, steps, tables, events)
	return err
}

// reachProbes are about what deletes meet. There are none where that could not be read, which is said.
func (v *inspection) reachProbes() []probe {
	if len(v.reach) == 0 {
		return nil
	}
	return []probe{
		{about: "indexes on the referencing side of foreign keys", codes: []string{codeReferencingIndex}, check: v.checkReferencingIndexes},
		{about: "foreign keys that keep rows, or are switched off", codes: []string{codeBlocked, codeKeyOff}, check: v.checkKeys},
		{about: "triggers of the application", codes: []string{codeTrigger}, check: v.checkTriggers},
		{about: "replica identities", codes: []string{codeIdentity}, check: v.finds(codeIdentity, nil, "reach_identity", v.reach)},
	}
}

// checkKeys leaves out keys whose rows the policy file speaks of. Keys are triggers, which a superuser can switch off
// for a table; for sessions, checkSessions looks.
func (v *inspection) checkKeys(r reading) error {
	type onKey struct {
		finding
		Names   []string // of the table that refers, and those above
		Step    int
		Anytime bool
	}
	var tables, keys []string
	if v.opt.Snapshot != nil {
		for _, t := range v.opt.Snapshot.Tables {
			tables = append(tables, t.String())
			for _, k := range t.Referenced {
				keys = append(keys, strings.Join([]string{t.String(), k.Name, k.Table, k.OnDelete}, " "))
			}
		}
	}
	concerns := v.file.Concerns()
	return eachNamed(r, "reach_keys", func(f onKey) {
		if f.Code != codeBlocked || !concerns.About(f.Names, v.policies[f.Policy], f.Step, f.Anytime) {
			v.find("", nil, f.finding)
		}
	}, v.reach, tables, keys)
}

// checkTriggers: a trigger runs in the batch, as our role with our search path unless its function
// has its own, and one that fires BEFORE each row may keep the row. The policy names under
// "triggers" those that somebody has looked at.
func (v *inspection) checkTriggers(r reading) error {
	var policies, accepted, tables []string
	known := []string{}
	for _, p := range v.file.Policies {
		for _, name := range p.Triggers {
			policies, accepted = append(policies, p.Name), append(accepted, name.Text)
		}
	}
	if v.opt.Snapshot != nil {
		for _, t := range v.opt.Snapshot.Tables {
			tables = append(tables, t.String())
			for _, trigger := range t.Triggers {
				known = append(known, t.String()+" "+trigger.Definition)
			}
		}
	}
	return v.finds(codeTrigger, nil, "reach_triggers", v.reach, policies, accepted, tables, known, v.worker(), v.install.SearchPath)(r)
}

// checkReferencingIndexes: every deleted row looks for rows that refer to it, whatever the key then does.
func (v *inspection) checkReferencingIndexes(r reading) error {
	var policies, tables []string
	var batches []int
	for _, p := range v.file.Policies {
		policies, tables, batches = append(policies, p.Name), append(tables, p.Table.String()), append(batches, p.Batch.Usual())
	}
	return v.finds(codeReferencingIndex, nil, "reach_indexes", v.reach, policies, tables, batches)(r)
}

// foreignCode is what functions of the runtime raise where a policy would run code of a role that is not trusted.
const foreignCode = "PR004"

// checkUnexpected asks what a run asks before it touches anything. A table that is gone has a finding of its own.
func (v *inspection) checkUnexpected(r reading) error {
	var names, tables []string
	for _, p := range v.file.Policies {
		if !v.found(p.Name, codeNoTable) {
			names, tables = append(names, p.Name), append(tables, p.Table.String())
		}
	}
	return v.finds(codeUnexpected, nil, "unexpected", names, tables)(r)
}

// checkRowSecurity: the generated functions run with row_security = off, so that they fail where rows would be
// hidden from them. What foreign keys do is done as the table's owner, past any row security. Asked about are tables
// that are named, and those of expressions, whose schema is "" where the search path says which it is.
func (v *inspection) checkRowSecurity(r reading) error {
	var schemas, tables, kinds, names []string
	for _, m := range v.file.Mentions() {
		if m.Kind != "" { // protected, which nothing of ours changes
			schemas, tables, kinds, names = append(schemas, m.Schema), append(tables, m.Name), append(kinds, m.Kind), append(names, m.Of)
		}
	}
	return v.finds(codeRowSecurity, nil, "reach_row_security", schemas, tables, v.install.SearchPath, v.worker(), kinds, names)(r)
}
