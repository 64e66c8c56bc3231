package verifier

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// grant is a right that a role should have.
type grant struct {
	generator.Object
	kind, name string // "schema", "table" or "sequence"
	on, role   string // on: as SQL takes it
	needed     string // privileges, as in a GRANT
}

var grantStatement = regexp.MustCompile(`(?m)^GRANT ([A-Z, ]+) ON (?:(SCHEMA|SEQUENCE) )?(.+) TO (.+);$`)

// checkGrants: the generated functions run as the worker, which must be able to do what they do; and without
// the way into the runtime's schema nobody can call them.
func (v *inspection) checkGrants(r reading) error {
	var wanted []grant
	for _, role := range v.allRoles() { // which the runtime's own migration grants
		o := generator.Object{Kind: generator.KindPrivilege, Name: "schema " + v.install.Schema, Position: v.install.Position}
		wanted = append(wanted, grant{Object: o, kind: "schema", name: v.install.Schema, on: quote.Ident(v.install.Schema), role: role, needed: "USAGE"})
	}
	for _, o := range v.objects(generator.KindPrivilege) {
		some, err := grantsOf(o)
		if err != nil {
			return err
		}
		wanted = append(wanted, some...)
	}
	type lack struct {
		N         int
		Privilege string
	}
	missing := map[int][]string{}
	err := each(r, "role_privileges", func(l lack) { missing[l.N-1] = append(missing[l.N-1], l.Privilege) },
		mapped(wanted, func(g grant) string { return g.kind }), mapped(wanted, func(g grant) string { return g.on }),
		mapped(wanted, func(g grant) string { return g.role }), mapped(wanted, func(g grant) string { return g.needed }))
	for i, g := range wanted {
		if len(missing[i]) > 0 {
			v.rightMissing(g, missing[i])
		}
	}
	return err
}

// allRoles are the install's, each once.
func (v *inspection) allRoles() []string {
	var list []string
	r := v.install.Roles
	for _, role := range []string{r.Owner, r.Worker, r.Runner, r.Operator, r.Viewer} {
		if !slices.Contains(list, role) {
			list = append(list, role)
		}
	}
	return list
}

// grantsOf reads what an object gives.
func grantsOf(o generator.Object) ([]grant, error) {
	var list []grant
	for _, found := range grantStatement.FindAllStringSubmatch(o.SQL, -1) {
		role, err := pgparse.Name(found[4])
		if err != nil || len(role) != 1 {
			return nil, fmt.Errorf("reading the wanted privileges on %q: role %s: %w", o.Name, found[4], err)
		}
		g := grant{Object: o, kind: strings.ToLower(found[2]), on: found[3], role: role[0], needed: found[1]}
		switch g.kind {
		case "":
			g.kind, g.name = "table", o.Name
		case "schema":
			g.name, _, _ = strings.Cut(strings.TrimPrefix(o.Name, "schema "), " to ")
		default:
			g.name, g.Name = g.on, g.on
		}
		list = append(list, g)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("reading the wanted privileges on %q: there is no GRANT", o.Name)
	}
	return list, nil
}

// rightMissing: a hint grants all that the role should have there.
func (v *inspection) rightMissing(g grant, missing []string) {
	object := strings.ToUpper(g.kind) + " " + g.on
	switch g.kind {
	case "table":
		object = v.table(g.name)
	case "schema":
		object = "SCHEMA " + quote.Ident(g.name)
	}
	consequence := "It cannot call the functions that the policy file grants to it."
	switch r := v.install.Roles; g.role {
	case r.Owner, r.Worker:
		consequence = "Runs of the policies that need it fail."
	case r.Runner:
		consequence = "No scheduled run can begin."
	case r.Operator:
		consequence = "Its members can call nothing: they can neither run nor pause a policy."
	case r.Viewer:
		consequence = "Its members can look at nothing, and cannot verify."
	}
	v.about(g.Object, message{Code: codeTableRights, Message: fmt.Sprintf("role %q lacks %s on %s %q", g.role, strings.Join(missing, ", "), g.kind, g.name),
		Detail: consequence, Hint: fmt.Sprintf("GRANT %s ON %s TO %s;", g.needed, object, quote.Ident(g.role))})
}

// calling is a function that the expressions of a policy or report call.
type calling struct {
	pgparse.Call
	kind, of string // "policy" or "report", and its name
	at       policy.Expr
}

// closedFunction is one that an expression calls, and what of the way to it there is.
type closedFunction struct {
	N                 int
	Schema, Signature string
	Usage, Execute    bool
	Another           bool // of the same name can be called
}

// checkFunctionRights: functions that expressions name are called by the worker too. PostgreSQL looks at its
// right only when it runs them. Which of several functions of a name is meant the policies' own functions know.
func (v *inspection) checkFunctionRights(r reading) error {
	list := v.calls()
	doubtful := map[string][]closedFunction{}
	err := each(r, "function_privileges", func(f closedFunction) {
		if c := list[f.N-1]; f.Another {
			doubtful[c.of] = append(doubtful[c.of], f)
		} else {
			v.callRefused(c, f)
		}
	}, v.worker(), mapped(list, func(c calling) string { return c.Schema }), mapped(list, func(c calling) string { return c.Name }),
		mapped(list, func(c calling) int { return c.Arguments }), v.install.SearchPath)
	for _, p := range v.file.Policies {
		if len(doubtful[p.Name]) == 0 || !v.server.MayCount {
			continue
		}
		var refused *pgconn.PgError
		if !errors.As(v.plan(r, p), &refused) {
			continue
		}
		for _, f := range doubtful[p.Name] {
			if c := list[f.N-1]; v.refusedTo(refused) != "" && strings.Contains(refused.Message, c.Name) {
				v.callRefused(c, f)
			}
		}
	}
	return err
}

// calls lists each function once per policy and report.
func (v *inspection) calls() []calling {
	policies, _ := parallel.Each(v.file.Policies, func(p *policy.Policy) ([]calling, error) {
		return callsOf("policy", p.Name, p.Parts()), nil
	})
	reports, _ := parallel.Each(v.file.Reports, func(r *policy.Report) ([]calling, error) {
		return callsOf("report", r.Name, r.Parts()), nil
	})
	return append(slices.Concat(policies...), slices.Concat(reports...)...)
}

func callsOf(kind, of string, parts []policy.Part) []calling {
	var list []calling
	for _, part := range parts {
		parsed, err := part.Parse()
		if err != nil {
			continue // refused when the file was read
		}
		for _, c := range parsed.Calls {
			if !slices.ContainsFunc(list, func(known calling) bool { return known.Call == c }) {
				list = append(list, calling{c, kind, of, part.Expr})
			}
		}
	}
	return list
}

// callRefused: the schema of a table may have a finding already.
func (v *inspection) callRefused(c calling, f closedFunction) {
	var missing, hint []string
	if !f.Usage && !v.found("schema "+f.Schema, codeTableRights) {
		missing = append(missing, fmt.Sprintf("USAGE on schema %q", f.Schema))
		hint = append(hint, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote.Ident(f.Schema), quote.Ident(v.worker())))
	}
	if !f.Execute {
		missing = append(missing, fmt.Sprintf("EXECUTE on function %q", f.Signature))
		hint = append(hint, fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s TO %s;", f.Signature, quote.Ident(v.worker())))
	}
	if len(missing) == 0 {
		return
	}
	v.add(message{Code: codeTableRights, Object: f.Signature, Policy: c.of, Position: c.at.Position,
		Message: fmt.Sprintf("role %q lacks %s, which %s %q calls", v.worker(), strings.Join(missing, " and "), c.kind, c.of),
		Detail:  "Its runs fail.", Hint: strings.Join(hint, " ")})
}

// checkLacking is about what the objects' list grants, and what their owner has as such unless somebody revoked it.
func (v *inspection) checkLacking(r reading) error {
	var relations, roles, privileges []string
	for _, o := range v.relations() {
		add := func(role string, some ...string) {
			for _, p := range some {
				relations, roles, privileges = append(relations, v.inSchema(o)), append(roles, role), append(privileges, p)
			}
		}
		if o.Kind == generator.KindType {
			continue
		}
		add(v.owner(), "SELECT")
		if o.Kind != generator.KindView {
			add(v.owner(), "INSERT", "UPDATE", "DELETE")
		}
		for _, role := range o.Grants {
			add(role, "SELECT")
		}
		add(v.worker(), o.Writes...)
	}
	return v.finds(codeLacking, v.install.Position, "lacking", v.install.Schema, relations, roles, privileges, v.owner())(r)
}

// checkWritable leaves out what the worker should be able to write.
func (v *inspection) checkWritable(r reading) error {
	var tables, privileges []string
	for _, o := range v.objects(generator.KindTable, generator.KindStored) {
		for _, p := range o.Writes {
			tables, privileges = append(tables, o.Name), append(privileges, p)
		}
	}
	return v.finds(codeWritable, v.install.Position, "writable", v.install.Schema, v.otherRoles(), v.owner(), v.worker(), tables, privileges)(r)
}
