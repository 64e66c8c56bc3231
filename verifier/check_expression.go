package verifier

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/policy"
)

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
