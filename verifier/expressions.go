package verifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// expressionsAtOnce are looked at in one transaction, which locks their tables as a SELECT does.
const expressionsAtOnce = 100

// expressionProbes let the server read every expression of the file, as far as the policies fit their
// tables. The server parses the statements and resolves their names; it plans and runs none. Those of policies that
// name a locked table come first, by policy.
func (v *inspection) expressionProbes() []probe {
	if v.effective == nil {
		return nil
	}
	codes := []string{codeExpression}
	probes := []probe{{about: "the way to the tables of the expressions", codes: codes, check: v.checkUsage}}
	add := func(about string, checks []generator.Check) {
		probes = append(probes, probe{about: about, codes: codes, check: obeying(func(r reading) error { return v.checkExpressions(r, checks) })})
	}
	waits := v.policiesNaming(func(t policy.Table) bool { return v.locked[t.String()] != 0 })
	var free []generator.Check
	waiting := map[*policy.Policy][]generator.Check{}
	for _, c := range generator.Checks(v.source, v.effective) {
		if p := v.policyAt(c.Expr.Position); p != nil && waits[p.Name] {
			waiting[p] = append(waiting[p], c)
		} else {
			free = append(free, c)
		}
	}
	for _, p := range v.file.Policies {
		if some := waiting[p]; len(some) > 0 {
			add(fmt.Sprintf("the expressions of policy %q", p.Name), some)
		}
	}
	for some := range slices.Chunk(free, expressionsAtOnce) {
		add("the expressions of the policies", some)
	}
	return append(probes, probe{skip: !v.opt.Counts, about: "the expressions of the policies, by their functions", codes: codes, check: v.checkFunctionsPlan})
}

// policiesNaming are the policies that name a table of a kind.
func (v *inspection) policiesNaming(is func(policy.Table) bool) map[string]bool {
	names := map[string]bool{}
	for _, n := range v.namedTables() {
		names[n.Of] = names[n.Of] || is(n.Table)
	}
	return names
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

// checkUsage: without USAGE on a schema nobody is told what is in it.
func (v *inspection) checkUsage(r reading) error {
	schemas := append([]string{}, v.install.SearchPath...)
	for _, n := range v.namedTables() {
		schema, _ := v.tableParts(n.String())
		schemas = append(schemas, schema)
	}
	v.closed = nil
	err := each(r, "closed_schemas", func(s struct{ Name string }) { v.closed = append(v.closed, s.Name) }, distinct(schemas))
	if len(v.closed) == 0 {
		return err
	}
	list, role := quote.Idents(v.closed), v.install.Roles.Viewer
	if v.install.Roles.None {
		role = v.server.User
	}
	v.add(message{Code: codeExpression, Severity: Info, Position: v.install.Position,
		Message: fmt.Sprintf("not all expressions were looked at: role %q has no USAGE on schema %s", v.server.User, list),
		Detail:  "Those that judge rows are proven where overdue rows are counted.", Hint: fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", list, role)})
	return err
}

// checkExpressions asks for all of them at once; only where the server refuses one, for each. The expressions of
// policies that name tables of a closed schema are left out.
func (v *inspection) checkExpressions(r reading, checks []generator.Check) error {
	if len(v.closed) > 0 {
		unseen := v.policiesNaming(func(t policy.Table) bool { return slices.Contains(v.closed, t.Schema) })
		checks = slices.DeleteFunc(slices.Clone(checks), func(c generator.Check) bool {
			p := v.policyAt(c.Expr.Position)
			return p != nil && unseen[p.Name]
		})
	}
	if len(checks) == 0 {
		return nil
	}
	if err := r.exec("search_path", v.searchPath()); err != nil {
		return err
	}
	var refused *pgconn.PgError
	if err := r.parse(checks); !errors.As(err, &refused) {
		return err
	}
	for _, c := range checks {
		err := r.parse([]generator.Check{c})
		switch {
		case err == nil:
		case !errors.As(err, &refused):
			return err
		case meansNothing(refused):
			p := v.policyAt(c.Expr.Position)
			if p != nil {
				v.add(refusal(p, c.Expr.Position, refused, fmt.Sprintf("an expression of policy %q is refused", p.Name),
					"Bring back what it names, or change the expression, then generate and migrate."))
			}
		case refused.Code != insufficientPrivilege: // checkUsage has that
			return err
		}
	}
	return nil
}

// refusal is about what the server does not understand of a policy.
func refusal(p *policy.Policy, at diag.Position, err *pgconn.PgError, what, hint string) message {
	detail := err.Detail
	if detail != "" {
		detail = strings.TrimSuffix(detail, ".") + ". "
	}
	return message{Code: codeExpression, Policy: p.Name, Position: at, Message: what + ": " + err.Message,
		Detail: fmt.Sprintf("%sRuns of the policy fail [%s].", detail, err.Code), Hint: hint}
}

// checkFunctionsPlan asks the policies' own functions, which run as the owner, where the role itself may
// not look.
func (v *inspection) checkFunctionsPlan(r reading) error {
	if len(v.closed) == 0 || !v.server.MayCount {
		return nil
	}
	for _, p := range v.file.Policies {
		if err := v.plan(r, p); err != nil && illegible(err) == "" && !v.refusedToCount(p, err) { // whatever it answered, it was planned
			return err
		}
	}
	return nil
}

// parse sends statements to be parsed, in one go; the error is the first one's that is refused.
func (r reading) parse(checks []generator.Check) error {
	return r.savepoint(func() error {
		pipeline := r.tx.Conn().PgConn().StartPipeline(r.ctx)
		for _, c := range checks {
			pipeline.SendPrepare("", c.SQL, nil)
		}
		if err := pipeline.Sync(); err != nil {
			return errors.Join(err, pipeline.Close())
		}
		var first error
		for range checks {
			if _, err := pipeline.GetResults(); err != nil {
				first = err
				break
			}
		}
		return errors.Join(first, pipeline.Close())
	})
}

// meansNothing says whether an error is about names, types or syntax, and not about rights.
func meansNothing(err *pgconn.PgError) bool {
	return strings.HasPrefix(err.Code, "42") && err.Code != insufficientPrivilege
}

// searchPath is the one that generated functions have.
func (v *inspection) searchPath() string {
	return quote.Idents(v.install.Path())
}
