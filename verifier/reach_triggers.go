package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var codeTrigger = register("V056", Reach, "a trigger of the application runs in the batches")

// reachTrigger is one of the application's, where it fires.
type reachTrigger struct {
	Table                  uint32
	Name, Definition, On   string // as it was declared
	Row, Before            bool
	Delete, Update, Insert bool
	Deferrable             bool
	Function, Language     string
	Definer, OwnPath       bool
	Body                   string
}

// checkTriggers: a trigger runs in the batch, as our role with our search path unless its function
// has its own, and one that fires BEFORE each row may keep the row. The policy names under
// "triggers" those that somebody has looked at.
func (v *inspection) checkTriggers(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[reachTrigger](ctx, tx, v.query("reach_triggers"), v.graph.oids())
	if len(rows) == 0 {
		return err
	}
	triggers := map[uint32][]reachTrigger{}
	for _, t := range rows {
		triggers[t.Table] = append(triggers[t.Table], t)
	}
	for _, p := range v.file.Policies {
		said := map[string]bool{} // of all partitions once
		for _, e := range v.graph.effects(p) {
			for _, t := range triggers[e.table.OID] {
				if key := t.On + " " + t.Name; t.fires(e) && !said[key] && !accepts(p, t) && (t.mayKeep(e) || t.mayRefuse() || t.strange()) {
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
	if !t.Row || !t.Before {
		return false
	}
	return e.event != "DELETE" || t.body().returns
}

// mayRefuse says whether the trigger can raise an error of its own. One whose body nobody can read, and that
// can keep the row anyway, is left at that.
func (t reachTrigger) mayRefuse() bool {
	return t.body().raises && (t.Language == "plpgsql" || !t.Row || !t.Before)
}

// bodyEffect is what a trigger's function may do to a delete.
type bodyEffect struct{ returns, raises bool } // something else than OLD; an error

// body: without any RETURN, the end of the body raises.
func (t reachTrigger) body() bodyEffect {
	tokens, err := pgparse.Tokens(t.Body)
	if t.Language != "plpgsql" || err != nil {
		return bodyEffect{true, true}
	}
	tokens = slices.DeleteFunc(tokens, func(t pgparse.Token) bool { return t.Comment })
	var effect bodyEffect
	ends := false
	for i, token := range tokens {
		next := ""
		if i+1 < len(tokens) {
			next = strings.ToLower(tokens[i+1].Text)
		}
		switch strings.ToLower(token.Text) {
		case "return":
			ends = true
			effect.returns = effect.returns || next != "old"
		case "raise":
			effect.raises = effect.raises || !slices.Contains(messageLevels, next)
		}
	}
	effect.raises = effect.raises || !ends
	return effect
}

// messageLevels are those of RAISE that are no error.
var messageLevels = []string{"debug", "log", "info", "notice", "warning"}

// strange says whether the function runs with a role or search path that it was not written for.
func (t reachTrigger) strange() bool { return !t.Definer || !t.OwnPath }

func accepts(p *policy.Policy, t reachTrigger) bool {
	return slices.ContainsFunc(p.Triggers, func(n policy.Name) bool { return n.Text == t.Name })
}

func (v *inspection) triggerRuns(p *policy.Policy, e reachEffect, t reachTrigger) {
	f := Finding{Code: codeTrigger, Severity: Info, Object: t.On, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("trigger %q on table %q runs in the batches of policy %q", t.Name, t.On, p.Name),
		Detail:  fmt.Sprintf("It calls %s() on %s.", t.Function, e.event),
		Hint:    fmt.Sprintf("Look at the function, then write \"triggers: [%s]\" in the policy.", t.Name)}
	if t.mayKeep(e) {
		f.Message = fmt.Sprintf("trigger %q on table %q may keep rows from policy %q", t.Name, t.On, p.Name)
		f.Detail = fmt.Sprintf("It calls %s() before each %s, and a row for which that returns NULL stays as it is, without an error%s.", t.Function, e.event, afterKept(p, e))
	}
	if t.mayRefuse() {
		f.Message = fmt.Sprintf("trigger %q on table %q may keep rows from policy %q", t.Name, t.On, p.Name)
		f.Detail += " It may raise an error: the row is refused then, and stays."
	}
	if t.strange() {
		f.Detail += " " + v.strangeness(t)
	}
	f.Detail += e.way()
	if v.triggerIsNew(e, t) {
		f.Severity = ""
		f.Detail += " It is newer than the catalog snapshot."
		f.Hint += ` Then run "pgretain snapshot".`
	}
	v.add(f)
}

// afterKept is what becomes of a row that was kept.
func afterKept(p *policy.Policy, e reachEffect) string {
	switch {
	case e.way() != "":
		return ", and refers to nothing then"
	case e.path == p.Table.String():
		return ": the run ends done, and the row is due again"
	}
	return ""
}

// strangeness says as whom the function runs, and what its names mean.
func (v *inspection) strangeness(t reachTrigger) string {
	path := strings.Join(append([]string{"pg_catalog"}, v.install.SearchPath...), ", ")
	switch {
	case t.Definer:
		return fmt.Sprintf("It has no search path of its own, and is called with %s.", path)
	case t.OwnPath:
		return fmt.Sprintf("It runs with the rights of role %q.", v.worker())
	}
	return fmt.Sprintf("It runs with the rights of role %q and search path %s.", v.worker(), path)
}

// triggerIsNew says whether a trigger has come, or changed, since the catalog snapshot, which has those for
// each row on delete.
func (v *inspection) triggerIsNew(e reachEffect, t reachTrigger) bool {
	if v.opt.Snapshot == nil || e.event != "DELETE" || !t.Row {
		return false
	}
	known := v.opt.Snapshot.Table(t.On)
	if known == nil {
		return false
	}
	for _, k := range known.Triggers {
		if k.Name == t.Name && k.Definition == t.Definition {
			return false
		}
	}
	return true
}
