package verifier

import (
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// expressionsAtOnce is the number of expressions that one transaction checks. It locks their tables
// like a SELECT.
const expressionsAtOnce = 100

// expressionProbes returns probes in which the server parses every expression of policies that fit
// their tables. The server plans and executes none of them.
func (v *inspection) expressionProbes() []probe {
	if v.effective == nil {
		return nil
	}
	probes := []probe{{about: "the way to the tables of the expressions", codes: []diag.Code{messages.CodeExpression},
		check: v.checkUsage}}
	for some := range slices.Chunk(generator.Checks(v.source, v.effective), expressionsAtOnce) {
		probes = append(probes, probe{about: "the expressions of the policies",
			codes: []diag.Code{messages.CodeExpression},
			check: withRowSecurity(func(r reading) error { return v.checkExpressions(r, some) })})
	}
	return probes
}

// policyAt returns the policy at a position of the file; nil if there is none.
func (v *inspection) policyAt(at diag.Position) *policy.Policy {
	var found *policy.Policy
	for _, p := range v.source.Policies {
		if p.Position.Line <= at.Line && (found == nil || p.Position.Line > found.Position.Line) {
			found = p
		}
	}
	return found
}

// checkUsage reports schemas on which the role lacks USAGE. The server does not tell the role what
// they contain.
func (v *inspection) checkUsage(r reading) error {
	schemas := append([]string{}, v.install.SearchPath...)
	for _, n := range v.namedTables() {
		schema, _ := v.tableParts(n.String())
		schemas = append(schemas, schema)
	}
	closed, err := collectTexts(r, "closed_schemas", lists.Distinct(schemas))
	if len(closed) == 0 {
		return err
	}
	v.schemaUnreadable = slices.ContainsFunc(closed,
		func(schema string) bool { return slices.Contains(v.install.SearchPath, schema) })
	role := v.install.Roles.Viewer
	if v.install.Roles.None {
		role = v.server.User
	}
	v.addToInstall(messages.SchemasClosed(v.server.User, quote.Idents(closed), role))
	return err
}

// checkExpressions lets the server parse all expressions at once. If it refuses one, each is parsed
// alone. checkUsage reports missing privileges. If the role cannot read a schema of the search
// path, an unknown name is no finding.
func (v *inspection) checkExpressions(r reading, checks []generator.Check) error {
	if v.schemaUnreadable {
		return nil
	}
	if err := r.set("search_path", v.searchPath()); err != nil {
		return err
	}
	var refused *pgconn.PgError
	if err := r.parse(checks); !errors.As(err, &refused) {
		return err
	}
	for _, c := range checks {
		err := r.parse([]generator.Check{c})
		if p := v.policyAt(c.Expr.Position); err != nil && errors.As(err, &refused) && meansNothing(refused) &&
			p != nil {
			m := messages.ExpressionRefusedNow(p.Name, serverError(refused))
			m.Position = c.Expr.Position
			v.add(m)
		} else if err != nil && (!errors.As(err, &refused) || refused.Code != insufficientPrivilege) {
			return err
		}
	}
	return nil
}

// parse sends statements to the server, which parses them. The error is that of the first refused
// statement.
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

// meansNothing reports whether an error is about a name, a type, the syntax or a constant, not
// about a privilege. The server refuses a constant (class 22) if its type has lost the value, for
// example after ALTER TYPE RENAME VALUE.
func meansNothing(err *pgconn.PgError) bool {
	return err.Code != insufficientPrivilege &&
		(strings.HasPrefix(err.Code, "42") || strings.HasPrefix(err.Code, "22") || strings.HasPrefix(err.Code, "0A"))
}

// searchPath returns the search path of generated functions.
func (v *inspection) searchPath() string {
	return quote.Idents(v.install.Path())
}
