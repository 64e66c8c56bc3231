package verifier

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// reachTrigger is one of the application's, where it fires.
type reachTrigger struct {
	Table                  uint32
	Name, Definition, On   string // as it was declared
	Row, Before            bool
	Delete, Update, Insert bool
	Function, Language     string
	Definer, OwnPath       bool
	Body                   string
}

// checkTriggers: a trigger runs in the batch, as our role with our search path unless its function
// has its own, and one that fires BEFORE each row may keep the row. The policy names under
// "triggers" those that somebody has looked at.
func (v *inspection) checkTriggers(r reading) error {
	triggers := map[uint32][]reachTrigger{}
	err := each(r, "reach_triggers", func(t reachTrigger) { triggers[t.Table] = append(triggers[t.Table], t) }, v.graph.oids())
	for _, p := range v.graph.policies {
		said := map[string]bool{} // of all partitions once
		for _, e := range p.effects {
			for _, t := range triggers[e.table.OID] {
				accepted := slices.ContainsFunc(p.Triggers, func(n policy.Name) bool { return n.Text == t.Name })
				if key := t.On + " " + t.Name; t.fires(e) && !said[key] && !accepted && (t.mayKeep(e) || t.mayRefuse() || t.misplaced()) {
					said[key] = true
					v.triggerRuns(p, e, t)
				}
			}
		}
	}
	return err
}

// fires says whether a statement's effect on the table fires the trigger. Those for the whole
// statement fire only on the table that it names.
func (t reachTrigger) fires(e reachEffect) bool {
	on := map[string]bool{"DELETE": t.Delete, "UPDATE": t.Update, "INSERT": t.Insert}
	return on[e.event] && (t.Row || e.named)
}

// mayKeep says whether the trigger can keep the row as it is. Where every RETURN of a body
// is RETURN OLD, a delete goes on.
func (t reachTrigger) mayKeep(e reachEffect) bool {
	returns, _ := t.body()
	return t.Row && t.Before && (e.event != "DELETE" || returns)
}

// mayRefuse says whether the trigger can raise an error of its own. One whose body nobody can read, and that
// can keep the row anyway, is left at that.
func (t reachTrigger) mayRefuse() bool {
	_, raises := t.body()
	return raises && (t.Language == "plpgsql" || !t.Row || !t.Before)
}

// messageLevels are those of RAISE that are no error.
var messageLevels = []string{"debug", "log", "info", "notice", "warning"}

// body says what a trigger's function may do to a delete: return something else than OLD, raise an error. Without any
// RETURN, the end of the body raises.
func (t reachTrigger) body() (returns, raises bool) {
	tokens, err := pgparse.Tokens(t.Body)
	if t.Language != "plpgsql" || err != nil {
		return true, true
	}
	tokens = slices.DeleteFunc(tokens, func(t pgparse.Token) bool { return t.Comment })
	ends := false
	for i, token := range tokens {
		next := ""
		if i+1 < len(tokens) {
			next = strings.ToLower(tokens[i+1].Text)
		}
		switch strings.ToLower(token.Text) {
		case "return":
			ends = true
			returns = returns || next != "old"
		case "raise":
			raises = raises || !slices.Contains(messageLevels, next)
		}
	}
	return returns, raises || !ends
}

// misplaced says whether the function runs with a role or search path that it was not written for.
func (t reachTrigger) misplaced() bool { return !t.Definer || !t.OwnPath }

func (v *inspection) triggerRuns(p *policyReach, e reachEffect, t reachTrigger) {
	f := message{Code: codeTrigger, Severity: Info, Object: t.On, Policy: p.Name, Position: p.Position}
	isNew := v.triggerIsNew(e, t)
	if isNew {
		f.Severity = diag.Drift
	}
	v.say(f, "trigger", words{
		"Trigger": t, "Event": e.event, "Way": e.way(), "Own": e.path == p.Table.String(), "New": isNew,
		"MayKeep": t.mayKeep(e), "MayRefuse": t.mayRefuse(), "Worker": v.worker(),
	})
}

// triggerIsNew says whether a trigger has come, or changed, since the catalog snapshot, which has those for
// each row on delete.
func (v *inspection) triggerIsNew(e reachEffect, t reachTrigger) bool {
	known := v.opt.Snapshot.Table(t.On)
	return known != nil && e.event == "DELETE" && t.Row && !slices.Contains(known.Triggers, catalog.Trigger{Name: t.Name, Definition: t.Definition})
}

// foreignCode is what functions of the runtime raise where a policy would run code of a role that is not trusted.
const foreignCode = "PR004"

// checkUnexpected asks what a run asks before it touches anything. A table that is gone has a finding of its own.
func (v *inspection) checkUnexpected(r reading) error {
	names := slices.DeleteFunc(v.policyNames(), func(name string) bool {
		return v.found(name, codeNoTable)
	})
	tables := mapped(names, func(name string) string { return v.policies[name].Table.String() })
	return v.finds(codeUnexpected, nil, "unexpected", names, tables)(r)
}

// checkRowSecurity: the generated functions run with row_security = off, so that they fail where rows would be
// hidden from them. What foreign keys do is done as the table's owner, past any row security. Asked about are tables
// that are named, and those of expressions, whose schema is "" where the search path says which it is.
func (v *inspection) checkRowSecurity(r reading) error {
	var schemas, tables, kinds, names []string
	var places []int
	asked := map[policy.Table]int{}
	for _, m := range v.file.Mentions() {
		if m.Kind == "" {
			continue // protected, which nothing of ours changes
		}
		t := policy.Table{Schema: m.Schema, Name: m.Name}
		if asked[t] == 0 {
			schemas, tables = append(schemas, t.Schema), append(tables, t.Name)
			asked[t] = len(tables)
		}
		places, kinds, names = append(places, asked[t]), append(kinds, m.Kind), append(names, m.Of)
	}
	return v.finds(codeRowSecurity, nil, "reach_row_security", schemas, tables, v.install.SearchPath, v.worker(), places, kinds, names)(r)
}

// checkIdentities is about published tables whose rows PostgreSQL refuses to delete or update.
func (v *inspection) checkIdentities(r reading) error {
	var tables []uint32
	var events, policies, ways []string
	for _, p := range v.graph.policies {
		for _, e := range p.effects {
			if e.event != "INSERT" {
				tables, events, policies, ways = append(tables, e.table.OID), append(events, e.event), append(policies, p.Name), append(ways, e.way())
			}
		}
	}
	return v.finds(codeIdentity, nil, "reach_identity", tables, events, policies, ways)(r)
}
