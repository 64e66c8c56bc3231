package verifier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/policy"
)

var codeTableRights = register("V074", Privileges, "a role lacks a privilege that it needs")

// rightMissing: a hint grants all that the role should have there.
func (v *inspection) rightMissing(g grant, missing []string) {
	on := g.on
	switch g.kind {
	case "table":
		on = v.table(g.name())
	case "schema":
		on = ident(g.name())
	}
	object := on
	if g.kind != "table" {
		object = strings.ToUpper(g.kind) + " " + on
	}
	if g.kind == "sequence" {
		g.Name = g.on
	}
	v.about(g.Object, Finding{Code: codeTableRights, Message: fmt.Sprintf("role %q lacks %s on %s %q", g.role, strings.Join(missing, ", "), g.kind, g.name()),
		Detail: v.consequence(g), Hint: fmt.Sprintf("GRANT %s ON %s TO %s;", g.needed, object, ident(g.role))})
}

// name is that of the schema, table or sequence.
func (g grant) name() string {
	switch g.kind {
	case "table":
		return g.Name
	case "schema":
		name, _, _ := strings.Cut(strings.TrimPrefix(g.Name, "schema "), " to ")
		return name
	}
	return g.on
}

func (v *inspection) consequence(g grant) string {
	switch r := v.install.Roles; {
	case g.role == r.Owner:
		return "Runs of the policies that need it fail."
	case g.role == r.Runner:
		return "No scheduled run can begin."
	case g.role == r.Operator:
		return "Its members can call nothing: they can neither run nor pause a policy."
	case g.role == r.Viewer:
		return "Its members can look at nothing, and cannot verify."
	}
	return "It cannot call the functions that the policy file grants to it."
}

// closedFunction is one that an expression calls, and what of the way to it there is.
type closedFunction struct {
	N                 int
	Schema, Signature string
	Usage, Execute    bool
	Another           bool // of the same name can be called
}

// callRefused: the schema of a table may have a finding already.
func (v *inspection) callRefused(c calling, f closedFunction) {
	var missing, hint []string
	if !f.Usage && !v.saidOf("schema "+f.Schema) {
		missing = append(missing, fmt.Sprintf("USAGE on schema %q", f.Schema))
		hint = append(hint, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", ident(f.Schema), ident(v.owner())))
	}
	if !f.Execute {
		missing = append(missing, fmt.Sprintf("EXECUTE on function %q", f.Signature))
		hint = append(hint, fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s TO %s;", f.Signature, ident(v.owner())))
	}
	if len(missing) == 0 {
		return
	}
	v.add(Finding{Code: codeTableRights, Object: f.Signature, Policy: c.of, Position: c.at.Position,
		Message: fmt.Sprintf("role %q lacks %s, which %s %q calls", v.owner(), strings.Join(missing, " and "), c.kind, c.of),
		Detail:  "Its runs fail.", Hint: strings.Join(hint, " ")})
}

// saidOf says whether a privilege object's right is known to be missing.
func (v *inspection) saidOf(object string) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Code == codeTableRights && f.Object == object })
}

// ownerLacks: a function of the policy, which runs as the owner, was refused for want of a right. It says
// whether that is known now: the server names the object, without its schema.
func (v *inspection) ownerLacks(p *policy.Policy, err *pgconn.PgError) bool {
	if !v.opt.Checks.shows(codeTableRights) {
		return false
	}
	if !v.knownLack(err) {
		v.add(Finding{Code: codeTableRights, Policy: p.Name, Position: p.Position,
			Message: fmt.Sprintf("role %q lacks a privilege that policy %q needs: %s", v.owner(), p.Name, err.Message),
			Detail:  "Runs of the policy fail.", Hint: fmt.Sprintf("Grant it to role %q.", v.owner())})
	}
	return true
}

func (v *inspection) knownLack(err *pgconn.PgError) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool {
		name, _, _ := strings.Cut(f.Object, "(")
		name = strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "schema ")
		return f.Code == codeTableRights && name != "" && strings.Contains(err.Message, strings.Trim(name, `"`))
	})
}
