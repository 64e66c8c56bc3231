package verifier

import (
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// row is a parameter row of a query: values by column name.
type row map[string]any

// policyRows returns, for each policy, what its statements do and which triggers it accepts.
func (v *inspection) policyRows() []row {
	return lists.Map(v.file.Policies, func(p *policy.Policy) row {
		acts := []row{}
		add := func(step int, table policy.Table, event string) {
			acts = append(acts, row{"step": step, "table": table.String(), "event": event})
		}
		for _, d := range p.Deletes() {
			add(d.Step, d.Table, "DELETE")
		}
		for _, use := range p.Uses() {
			if use.Access.Update {
				add(-1, use.Table, "UPDATE")
			}
			if use.Access.Insert {
				add(-1, use.Table, "INSERT")
			}
		}
		for _, s := range p.Then {
			if s.Detach != nil {
				add(len(p.Then), p.Table, "DETACH")
			}
			if s.Drop != nil {
				add(len(p.Then), p.Table, "DROP")
			}
		}
		return row{"policy": p.Name, "triggers": lists.Map(p.Triggers, policy.Name.String), "acts": acts}
	})
}

// readReach reads what the statements of policies do to tables, and keeps the answer as a parameter
// for other queries. The answer includes partitions, and tables that foreign keys change, at any
// depth. The file of the query "reach" describes the answer.
func (v *inspection) readReach(r reading) (err error) {
	v.reach, err = collectJSON(r, "reach", v.policyRows())
	return err
}

// reachProbes returns the probes about tables that policies change, directly or through foreign
// keys. It returns no probes if readReach failed, because another finding reports that failure.
func (v *inspection) reachProbes() []probe {
	if len(v.reach) == 0 {
		return nil
	}
	return []probe{
		{about: "indexes on the referencing side of foreign keys", codes: []diag.Code{messages.CodeReferencingIndex},
			check: reports(v, messages.ReferencingIndex, "reach_indexes", v.reach)},
		{about: "foreign keys that keep rows, or are switched off", codes: []diag.Code{messages.CodeBlocked,
			messages.CodeKeyOff},
			check: v.checkKeys},
		// A trigger fires in the batch, as the worker. It has the worker's search path, unless its
		// function sets one. A BEFORE ROW trigger may keep the row. "triggers" of a policy names
		// the triggers that a person has checked.
		{about: "triggers of the application", codes: []diag.Code{messages.CodeTrigger},
			check: v.checkTriggers},
		{skip: v.install.Roles.None, about: "the worker's privileges in triggers",
			codes: []diag.Code{messages.CodeTableRights},
			check: v.checkTriggerRights},
		{about: "replica identities", codes: []diag.Code{messages.CodeIdentity},
			check: reports(v, messages.Identity, "reach_identity", v.reach)},
	}
}

// checkKeys checks foreign keys, except those that the policy file mentions. It also finds foreign
// keys whose triggers a superuser has disabled. checkSessions finds sessions in which triggers are
// disabled.
func (v *inspection) checkKeys(r reading) error {
	access := v.file.AccessIndex()
	keys, err := collectNamed[messages.ReachedKey](r, "reach_keys", v.reach, v.opt.Snapshot)
	for _, k := range keys {
		switch {
		case k.Off:
			v.add(messages.KeyOff(k))
		case !access.AffectsReferring(k.Names, v.policies[k.Policy], k.Step, k.Anytime):
			v.add(messages.Blocked(k))
		}
	}
	return err
}

func (v *inspection) checkTriggers(r reading) error {
	triggers, err := collectNamed[messages.FiredTrigger](r, "reach_triggers", v.reach, v.policyRows(), v.opt.Snapshot)
	path := append([]string{"pg_catalog"}, v.install.SearchPath...)
	for _, t := range triggers {
		f := messages.Trigger(t, v.worker(), path)
		if t.Denied != "" {
			v.reasons[f.Message] = append(v.reasons[f.Message], t.Denied)
		}
		v.add(f)
	}
	return err
}

// foreignCode is the SQLSTATE with which the runtime refuses to run code of a role that is not
// trusted.
const foreignCode = "PR004"

// checkUnexpected makes the same check that a run makes before it changes anything. It skips
// missing tables, because another finding reports them.
func (v *inspection) checkUnexpected(r reading) error {
	var names, tables []string
	for _, p := range v.file.Policies {
		if !v.found(p.Name, messages.CodeNoTable) {
			names, tables = append(names, p.Name), append(tables, p.Table.String())
		}
	}
	causes, err := collectNamed[messages.Unfit](r, "unexpected", names, tables)
	for _, c := range causes {
		f := messages.Unexpected(c)
		v.reasons[f.Message] = append(v.reasons[f.Message], c.Reasons...)
		for _, name := range c.Policies {
			v.unfit[name], v.changed[name] = true, v.changed[name] || !aName(f.Message)
			v.affected[f.Message] = append(v.affected[f.Message], name)
		}
		v.add(f)
	}
	return err
}

// checkRowSecurity checks that row security hides no rows from the worker. Generated functions run
// with row_security = off, so they fail if rows would be hidden. Foreign keys act as the table's
// owner, so row security does not affect them. The check covers the tables that the file names,
// also in expressions. Schema "" means that the search path determines the schema.
func (v *inspection) checkRowSecurity(r reading) error {
	return reports(v, messages.RowSecurity, "reach_row_security", v.readTables(), v.install.SearchPath, v.worker())(r)
}

// readTables returns the tables and views that policies and reports read, with their reader.
func (v *inspection) readTables() []row {
	read := []row{}
	for _, m := range v.file.NamedTables() {
		if m.Kind != "" { // Kind is "" for a protected table; policies do not change such a table
			read = append(read, row{"schema": m.Schema, "name": m.Name, "kind": m.Kind, "of": m.Of})
		}
	}
	return read
}
