package lint

import (
	"slices"

	"pgretain/internal/messages"
	"pgretain/policy"
)

// checkRepeated adds a warning for a step that processes the same rows again in each run. These
// rows stay in the table, because they do not meet the condition of the policy's delete or update.
func (l *linter) checkRepeated(p *policy.Policy) {
	conditional := func(s policy.Step) bool {
		return s.Related == nil && (s.Delete != nil || s.Update != nil) && s.Where != nil
	}
	all := func(s policy.Step) bool {
		return s.Related == nil && (s.Delete != nil || s.Update != nil) && s.Where == nil
	}
	at := slices.IndexFunc(p.Then, conditional)
	if at < 0 || slices.ContainsFunc(p.Then, all) {
		return
	}
	where := p.Then[at].Where.SQL
	for _, s := range p.Then {
		verb := ""
		switch {
		case s.Where != nil && s.Where.SQL == where:
			continue // the step has the condition of the delete or update, so its rows do not stay
		case s.Insert != nil && len(s.Insert.Add) > 0:
			verb = "insert"
		case s.Emit != nil:
			verb = "emit"
		case s.Archive != nil:
			verb = "archive"
		default:
			continue
		}
		l.warn(messages.ActsAgain(p.Name, verb, where), s.Position, p)
	}
}

// checkEqualPositions adds a warning for a watermark on a column without a unique index. A batch
// takes all rows with the same value, even if they exceed the batch size.
func (l *linter) checkEqualPositions(p *policy.Policy, k *policy.Clock) {
	t := l.tableOf(p)
	if k.Watermark == nil || k.Column == "" || t == nil || slices.Equal(t.PrimaryKey, []string{k.Column}) {
		return
	}
	for _, i := range t.Indexes {
		if i.Unique && i.Valid && i.Predicate == "" && slices.Equal(i.Columns, []string{k.Column}) {
			return
		}
	}
	l.warn(messages.EqualPositions(p.Name, k.Column), k.Watermark.Position, p)
}

// largeObjectFunctions lists functions that the server lets only some roles use for a large object,
// although every role may execute them: lo_unlink its owner, the others roles with UPDATE.
var largeObjectFunctions = []string{"lo_unlink", "lo_put", "lo_truncate", "lo_truncate64", "lowrite"}

// checkLargeObjects adds a warning for SQL that changes large objects as the worker. With "roles:
// none" the migrating role is the worker, and it may own the objects.
func (l *linter) checkLargeObjects(p *policy.Policy) {
	if l.Install.Roles.None {
		return
	}
	for _, part := range p.Fragments() {
		for _, call := range part.Expr.Parsed().Calls {
			if slices.Contains(largeObjectFunctions, call.Name) && (call.Schema == "" || call.Schema == "pg_catalog") {
				l.warn(messages.ForeignObjects(p.Name, call.Name, l.Install.Roles.Worker), part.Expr.Position, p)
			}
		}
	}
}

// checkRowSecurity adds a warning if the worker may not read a table of a policy, because the table
// has row security. With "roles: none" the owner of the table is the worker.
func (l *linter) checkRowSecurity() {
	if l.Install.Roles.None || len(l.graph) == 0 {
		return
	}
	for _, named := range l.NamedTables() {
		if t := l.graph[named.Table.String()]; t != nil && t.RowSecurity && named.Kind == "policy" {
			l.warn(messages.RowSecurityHides(named.Of, t.String(), l.Install.Roles.Worker), named.Position,
				l.Policy(named.Of))
		}
	}
}
