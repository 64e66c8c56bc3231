package verifier

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// expressionsAtOnce are looked at in one transaction, which locks their tables as a SELECT does.
const expressionsAtOnce = 100

// expressionGroups let the server read every expression of the file, as far as the policies fit their
// tables. The server parses the statements and resolves their names; it plans and runs none.
func (v *inspection) expressionGroups() []group {
	if v.believed == nil {
		return nil
	}
	codes := []string{codeExpression}
	groups := []group{{about: "the way to the tables of the expressions", codes: codes, check: v.checkWay}}
	var free []generator.Check
	waiting := map[*policy.Policy][]generator.Check{}
	names := v.waitingPolicies()
	for _, c := range generator.Checks(v.file, v.believed) {
		if p := v.policyAt(c.Expr.Position); p != nil && names[p.Name] {
			waiting[p] = append(waiting[p], c)
		} else {
			free = append(free, c)
		}
	}
	for _, p := range v.file.Policies {
		if some := waiting[p]; len(some) > 0 {
			groups = append(groups, group{about: fmt.Sprintf("the expressions of policy %q", p.Name), codes: codes, check: func(ctx context.Context, tx pgx.Tx) error {
				return v.checkExpressions(ctx, tx, some)
			}})
		}
	}
	for some := range slices.Chunk(free, expressionsAtOnce) {
		groups = append(groups, group{about: "the expressions of the policies", codes: codes, check: func(ctx context.Context, tx pgx.Tx) error {
			return v.checkExpressions(ctx, tx, some)
		}})
	}
	if v.opt.Counts {
		groups = append(groups, group{about: "the expressions of the policies, by their functions", codes: codes, check: v.checkFunctionsPlan})
	}
	return groups
}

// waitingPolicies are those that name a table which somebody has to himself.
func (v *inspection) waitingPolicies() map[string]bool {
	names := map[string]bool{}
	if len(v.locked) == 0 {
		return names
	}
	for _, n := range v.namedTables() {
		names[n.policy] = names[n.policy] || v.locked[n.table.String()] != 0
	}
	return names
}

// checkWay: without USAGE on a schema nobody is told what is in it.
func (v *inspection) checkWay(ctx context.Context, tx pgx.Tx) error {
	schemas := append([]string{}, v.install.SearchPath...)
	for name := range v.namedInFile() {
		schema, _ := v.tableParts(name)
		schemas = append(schemas, schema)
	}
	slices.Sort(schemas)
	closed, err := seen[struct{ Name string }](ctx, tx, v.query("closed_schemas"), slices.Compact(schemas))
	if len(closed) > 0 {
		names := make([]string, len(closed))
		for i, c := range closed {
			names[i] = ident(c.Name)
			v.closed = append(v.closed, c.Name)
		}
		v.expressionsUnseen(names)
	}
	return err
}

// open leaves out the expressions of policies that name tables of a closed schema.
func (v *inspection) open(checks []generator.Check) []generator.Check {
	if len(v.closed) == 0 {
		return checks
	}
	if v.unseen == nil {
		v.unseen = map[string]bool{}
		for _, n := range v.namedTables() {
			v.unseen[n.policy] = v.unseen[n.policy] || slices.Contains(v.closed, n.table.Schema)
		}
	}
	return slices.DeleteFunc(slices.Clone(checks), func(c generator.Check) bool {
		p := v.policyAt(c.Expr.Position)
		return p != nil && v.unseen[p.Name]
	})
}

// checkExpressions asks for all of them at once; only where the server refuses one, for each.
func (v *inspection) checkExpressions(ctx context.Context, tx pgx.Tx, checks []generator.Check) error {
	if checks = v.open(checks); len(checks) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, v.query("search_path"), v.searchPath()); err != nil {
		return err
	}
	if err := v.obeyRowSecurity(ctx, tx); err != nil {
		return err
	}
	var refused *pgconn.PgError
	if err := parse(ctx, tx, checks); !errors.As(err, &refused) {
		return err
	}
	for _, c := range checks {
		err := parse(ctx, tx, []generator.Check{c})
		switch {
		case err == nil:
		case !errors.As(err, &refused):
			return err
		case meansNothing(refused):
			v.expressionRefused(c.Expr, refused)
		case refused.Code != "42501": // insufficient_privilege: said above
			return err
		}
	}
	return nil
}

// checkFunctionsPlan asks the policies' own functions, which run as the owner, where the role itself may
// not look: counting up to no row at all plans the expressions that judge rows, and reads none.
func (v *inspection) checkFunctionsPlan(ctx context.Context, tx pgx.Tx) error {
	if len(v.closed) == 0 {
		return nil
	}
	if err := v.readMayCount(ctx, tx); err != nil {
		return err
	}
	if !v.mayCount {
		return nil
	}
	for _, p := range v.file.Policies {
		if err := v.plan(ctx, tx, p); err != nil && illegible(err) == "" && !v.refusedToCount(p, err) { // whatever it answered, it was planned
			return err
		}
	}
	return nil
}

// plan has the function that counts find no row at all.
func (v *inspection) plan(ctx context.Context, tx pgx.Tx, p *policy.Policy) error {
	return pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		_, err := one[overdue](ctx, savepoint, v.query("count"), v.server.Now, 0, p.Name)
		return err
	})
}

// parse sends statements to be parsed, in one go; the error is the first one's that is refused.
func parse(ctx context.Context, tx pgx.Tx, checks []generator.Check) error {
	return pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		pipeline := savepoint.Conn().PgConn().StartPipeline(ctx)
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
	return strings.HasPrefix(err.Code, "42") && err.Code != "42501"
}

// searchPath is the one that generated functions have.
func (v *inspection) searchPath() string {
	path := []string{"pg_catalog"}
	for _, name := range v.install.SearchPath {
		path = append(path, quote.Ident(name))
	}
	return strings.Join(append(path, "pg_temp"), ", ")
}

var codeExpression = register("V034", Tables, "an expression that the server refuses")

// expressionRefused: runs of the policy fail. A table or column that is gone has a finding of its own.
func (v *inspection) expressionRefused(e policy.Expr, err *pgconn.PgError) {
	p := v.policyAt(e.Position)
	if p == nil || v.found(p, codeNoTable, codeNoColumn) {
		return
	}
	v.add(Finding{Code: codeExpression, Policy: p.Name, Position: e.Position,
		Message: fmt.Sprintf("an expression of policy %q is refused: %s", p.Name, err.Message),
		Detail:  strings.TrimSpace(fmt.Sprintf("%s Runs of the policy fail [%s].", sentence(err.Detail), err.Code)),
		Hint:    "Bring back what it names, or change the expression, then generate and migrate."})
}

// countRefused: the policy's own function cannot count.
func (v *inspection) countRefused(p *policy.Policy, err *pgconn.PgError) {
	v.add(Finding{Code: codeExpression, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("the functions of policy %q are refused: %s", p.Name, err.Message),
		Detail:  strings.TrimSpace(fmt.Sprintf("%s Runs of the policy fail [%s].", sentence(err.Detail), err.Code)),
		Hint:    "Bring back what its expressions name, or change them, then generate and migrate."})
}

// expressionsUnseen: schemas are quoted.
func (v *inspection) expressionsUnseen(schemas []string) {
	list := strings.Join(schemas, ", ")
	role := v.install.Roles.Viewer
	if v.install.Roles.None {
		role = v.server.User
	}
	v.add(Finding{Code: codeExpression, Severity: Info, Position: v.install.Position,
		Message: fmt.Sprintf("not all expressions were looked at: role %q has no USAGE on schema %s", v.server.User, list),
		Detail:  "Those that judge rows are proven where overdue rows are counted.", Hint: fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", list, role)})
}

func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
