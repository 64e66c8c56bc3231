package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
)

var codeRole = register("V072", Privileges, "a role is missing or has the wrong attributes")

// roleWrong has a finding for each fault of a role.
func (v *inspection) roleWrong(r role) {
	add := func(wrong bool, what, hint string) {
		if wrong {
			v.add(Finding{Code: codeRole, Object: r.Name, Position: v.install.Position, Message: fmt.Sprintf("role %q %s", r.Name, what), Hint: hint})
		}
	}
	if !r.Found {
		add(true, "does not exist", "pgretain bootstrap | psql -X -v ON_ERROR_STOP=1")
		return
	}
	add(r.Name == v.install.Roles.Worker && !r.Inherited, fmt.Sprintf("does not pass its privileges on to %q", v.owner()),
		fmt.Sprintf("GRANT %s TO %s;", ident(r.Name), ident(v.owner())))
	add((r.Name == v.install.Roles.Owner && len(v.ownerIsAlso()) == 0 || r.Name == v.install.Roles.Worker) && r.Login, "can log in", fmt.Sprintf("ALTER ROLE %s NOLOGIN;", ident(r.Name)))
	if r.Name == v.install.Roles.Runner && v.install.Scheduler == "pg_cron" {
		add(!r.Login, "cannot log in, so that pg_cron cannot run its jobs", fmt.Sprintf("ALTER ROLE %s LOGIN;", ident(r.Name)))
		add(!r.Connect, fmt.Sprintf("has no CONNECT on database %q", v.server.Database), fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s;", ident(v.server.Database), ident(r.Name)))
	}
	if r.Name == v.install.Roles.Runner && v.install.Scheduler == "pg_cron" && !r.Superuser {
		add(r.NoSessions, "may have no session: its CONNECTION LIMIT is 0", fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT -1;", ident(r.Name)))
		add(r.Closed, fmt.Sprintf("cannot connect: the CONNECTION LIMIT of database %q is 0", v.server.Database),
			fmt.Sprintf("ALTER DATABASE %s CONNECTION LIMIT -1;", ident(v.server.Database)))
	}
	add(r.Superuser, "is a superuser", fmt.Sprintf("ALTER ROLE %s NOSUPERUSER;", ident(r.Name)))
}

// endedByErrors: a row that is refused is an error that a batch catches, unless it ends the session first.
func (v *inspection) endedByErrors(s sessionSetting) {
	v.add(Finding{Code: codeRole, Object: v.runner(), Position: v.install.Position, Hint: v.resetHint(s),
		Message: fmt.Sprintf("sessions of role %q end at the first error, since exit_on_error is %s", v.runner(), s.Value),
		Detail:  "A run that meets a locked or refused row ends with its session, and is not written down."})
}

// noTimeAtAll is less than a job takes to begin, work and write down how it ended.
const noTimeAtAll = time.Second

// cutShort: a setting ends the runner's statements or transactions. The functions of the runtime cannot defend
// themselves against it: it counts from before they are called.
func (v *inspection) cutShort(s sessionSetting, after time.Duration, longest job) {
	f := Finding{Code: codeRole, Severity: Info, Object: v.runner(), Position: v.install.Position, Hint: v.resetHint(s),
		Message: fmt.Sprintf("sessions of role %q have %s %s, and job %q may take longer", v.runner(), s.Name, s.Value, longest.name),
		Detail:  "The call of a job is one statement: what it has not done by then it leaves to the next, and it ends failed."}
	if s.Name == "transaction_timeout" {
		f.Detail = "A batch that takes longer is undone, and the session ended with the run in it."
	} else if after < noTimeAtAll {
		f.Severity = ""
	}
	v.add(f)
}

var codeExcess = register("V079", Privileges, "a role can do more than pgretain needs")

// excess is something that a role can do and nothing of ours needs.
type excess struct {
	Role    string
	Changes bool // other people's rows
	Fault   string
}

func (v *inspection) checkExcess(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[excess](ctx, tx, v.query("excess"), v.owner(), append(v.otherRoles(), v.worker()), v.worker())
	if err != nil {
		return err
	}
	for _, e := range rows {
		v.roleExceeds(e)
	}
	heirs, err := seen[struct{ Name string }](ctx, tx, v.query("successors"), v.owner(), v.runner(), v.otherRoles(), v.changedTables())
	if len(heirs) > 0 {
		var names []string
		for _, h := range heirs {
			names = append(names, quoted(h.Name))
		}
		v.add(Finding{Code: codeExcess, Severity: Info, Object: v.owner(), Position: v.install.Position,
			Message: fmt.Sprintf("%s can become %q", strings.Join(names, ", "), v.owner()),
			Detail:  "They can delete by hand and change the run log. They neither own a table of a policy nor are members of the runner, as a role that migrates is."})
	}
	return err
}

// roleExceeds is drift where it leads to rows that only runs should change.
func (v *inspection) roleExceeds(e excess) {
	f := Finding{Code: codeExcess, Severity: Info, Object: e.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q %s", e.Role, e.Fault), Detail: "Nothing of pgretain needs it."}
	if e.Changes {
		f.Severity = diag.Drift
		f.Detail += " With it the role can change rows by hand, past holds, guards and run log."
	}
	if attribute, ok := strings.CutPrefix(e.Fault, "has "); ok {
		f.Hint = fmt.Sprintf("ALTER ROLE %s NO%s;", quote.Ident(e.Role), attribute)
	} else {
		f.Hint = fmt.Sprintf("REVOKE %s FROM %s;", quote.Ident(strings.Trim(strings.TrimPrefix(e.Fault, "is a member of "), `"`)), quote.Ident(e.Role))
	}
	v.add(f)
}

// otherRoles are runner, operator and viewer, without the owner.
func (v *inspection) otherRoles() []string {
	roles := v.install.Roles
	return slices.DeleteFunc([]string{roles.Runner, roles.Operator, roles.Viewer}, func(name string) bool { return name == roles.Owner })
}

var codeHandRights = register("V077", Privileges, "a role can delete or change a policy's rows by hand")

// handRights are what a role may do with rows of policies.
type handRights struct {
	Role   string // "" is PUBLIC
	Owns   bool
	Rights string
	Tables []string
}

func (v *inspection) checkHandRights(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[handRights](ctx, tx, v.query("hand_rights"), v.changedTables(), v.otherRoles(), v.owner())
	for _, r := range rows {
		v.rightsByHand(r)
	}
	return err
}

// rightsByHand is for information where the application chose it: it gave everybody these rights, or the
// install an owner of its tables for a role.
func (v *inspection) rightsByHand(r handRights) {
	const most = 5
	tables := r.Tables
	if len(tables) > most {
		tables = append(tables[:most:most], fmt.Sprintf("%d more", len(r.Tables)-most))
	}
	f := Finding{Code: codeHandRights, Object: r.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q has %s on %s", r.Role, r.Rights, strings.Join(tables, ", ")),
		Detail:  "It can delete or change rows by hand, past holds, guards, breaker and run log.",
		Hint:    fmt.Sprintf("Revoke %s on these tables from %q, or end the membership that gives it.", r.Rights, r.Role)}
	switch {
	case r.Role == "":
		f.Severity, f.Object = Info, "PUBLIC"
		f.Message = fmt.Sprintf("PUBLIC has %s on %s", r.Rights, strings.Join(tables, ", "))
		f.Detail = "Everybody can delete or change rows by hand, past holds, guards, breaker and run log."
		f.Hint = fmt.Sprintf("Revoke %s on these tables from PUBLIC, unless the application needs it.", r.Rights)
	case r.Owns:
		f.Severity, f.Hint = Info, ""
		f.Message = fmt.Sprintf("role %q owns %s", r.Role, strings.Join(tables, ", "))
	}
	v.add(f)
}

// changedTables are the tables of policies, those that they change, and their archives.
func (v *inspection) changedTables() []string {
	var list []string
	for _, p := range v.file.Policies {
		list = append(list, p.Table.String())
		for _, t := range p.Changes() {
			list = append(list, t.String())
		}
		for _, s := range p.Then {
			if s.Archive != nil {
				list = append(list, s.Archive.Into.String())
			}
		}
	}
	return list
}

var codeLacking = register("V083", Privileges, "a role lacks a privilege in the runtime's schema")

// relationRights are privileges that roles should have on relations of the runtime, one at each place.
type relationRights struct{ relations, roles, privileges []string }

func (r *relationRights) add(relation, role string, privileges ...string) {
	for _, p := range privileges {
		r.relations, r.roles, r.privileges = append(r.relations, relation), append(r.roles, role), append(r.privileges, p)
	}
}

// relationRights are what the objects' list grants, and what their owner has as such unless somebody revoked it.
func (v *inspection) relationRights() relationRights {
	var r relationRights
	for _, o := range v.objects(generator.KindTable, generator.KindView, generator.KindStored) {
		name := v.inSchema(o)
		r.add(name, v.owner(), "SELECT")
		if o.Kind != generator.KindView {
			r.add(name, v.owner(), "INSERT", "UPDATE", "DELETE")
		}
		for _, role := range o.Grants {
			r.add(name, role, "SELECT")
		}
		r.add(name, v.worker(), o.Writes...)
	}
	return r
}

func (v *inspection) checkLacking(ctx context.Context, tx pgx.Tx) error {
	want := v.relationRights()
	rows, err := seen[writer](ctx, tx, v.query("lacking"), v.install.Schema, want.relations, want.roles, want.privileges, v.owner())
	for _, r := range rows {
		v.lacks(r)
	}
	return err
}

func (v *inspection) lacks(r writer) {
	v.add(Finding{Code: codeLacking, Object: r.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q lacks %s on %s", r.Role, r.Privileges, strings.Join(r.Tables, ", ")),
		Detail:  "What the role is for fails.",
		Hint:    fmt.Sprintf("GRANT %s ON %s TO %s;", r.Privileges, commas(r.Tables, own), ident(r.Role))})
}

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
	case g.role == r.Owner, g.role == r.Worker:
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
		hint = append(hint, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", ident(f.Schema), ident(v.worker())))
	}
	if !f.Execute {
		missing = append(missing, fmt.Sprintf("EXECUTE on function %q", f.Signature))
		hint = append(hint, fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s TO %s;", f.Signature, ident(v.worker())))
	}
	if len(missing) == 0 {
		return
	}
	v.add(Finding{Code: codeTableRights, Object: f.Signature, Policy: c.of, Position: c.at.Position,
		Message: fmt.Sprintf("role %q lacks %s, which %s %q calls", v.worker(), strings.Join(missing, " and "), c.kind, c.of),
		Detail:  "Its runs fail.", Hint: strings.Join(hint, " ")})
}

// saidOf says whether a privilege object's right is known to be missing.
func (v *inspection) saidOf(object string) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Code == codeTableRights && f.Object == object })
}

// roleLacks: a function of the policy, which runs as that role, was refused for want of a right. It says
// whether that is known now: the server names the object, without its schema.
func (v *inspection) roleLacks(role string, p *policy.Policy, err *pgconn.PgError) bool {
	if !v.opt.Checks.shows(codeTableRights) {
		return false
	}
	if !v.knownLack(err) {
		v.add(Finding{Code: codeTableRights, Policy: p.Name, Position: p.Position,
			Message: fmt.Sprintf("role %q lacks a privilege that policy %q needs: %s", role, p.Name, err.Message),
			Detail:  "Runs of the policy fail.", Hint: fmt.Sprintf("Grant it to role %q.", role)})
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

var codeTakeRights = register("V076", Privileges, "tables that a policy drops belong to somebody else")

func (v *inspection) takeRights(o generator.Object, r foreignTables) {
	v.about(o, Finding{Code: codeTakeRights,
		Message: fmt.Sprintf("policy %q cannot detach or drop tables of role %q, who owns %q", o.Policy, r.Owner, r.Table),
		Detail:  fmt.Sprintf("Function %q belongs to role %q, which is no member of it. This is so for %s. Make it a member, or give the tables one owner.", o.Name, r.Function, plural(r.Count, "table")),
		Hint:    fmt.Sprintf("GRANT %s TO %s;", ident(r.Owner), ident(r.Function))})
}
