package verifier

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// rightGroups come before whatever fails for want of a right, which is said once.
func (v *inspection) rightGroups() []group {
	groups := []group{{about: "the worker's privileges on functions", codes: []string{codeTableRights}, check: v.checkFunctionRights}}
	if !v.install.Roles.None {
		groups = append([]group{{about: "the worker's privileges", codes: []string{codeTableRights}, check: v.checkGrants}}, groups...)
	}
	return groups
}

// grant is a right that a role should have.
type grant struct {
	generator.Object
	kind     string // "schema", "table" or "sequence"
	on, role string // on: as SQL takes it
	needed   string // privileges, as in a GRANT
}

var grantStatement = regexp.MustCompile(`(?m)^GRANT ([A-Z, ]+) ON (?:(SCHEMA|SEQUENCE) )?(.+) TO (.+);$`)

// checkGrants: the generated functions run as the worker, which must be able to do what they do; and without
// the way into the runtime's schema nobody can call them.
func (v *inspection) checkGrants(ctx context.Context, tx pgx.Tx) error {
	wanted := v.waysIn()
	for _, o := range v.objects(generator.KindPrivilege) {
		some, err := grantsOf(o)
		if err != nil {
			return err
		}
		wanted = append(wanted, some...)
	}
	var kinds, names, roles, needed []string
	for _, g := range wanted {
		kinds, names, roles, needed = append(kinds, g.kind), append(names, g.on), append(roles, g.role), append(needed, g.needed)
	}
	type lack struct {
		N         int
		Privilege string
	}
	rows, err := seen[lack](ctx, tx, v.query("role_privileges"), kinds, names, roles, needed)
	missing := map[int][]string{}
	for _, r := range rows {
		missing[r.N-1] = append(missing[r.N-1], r.Privilege)
	}
	for i, g := range wanted {
		if len(missing[i]) > 0 {
			v.rightMissing(g, missing[i])
		}
	}
	return err
}

// waysIn are USAGE on the runtime's schema for the five roles, which the runtime's own migration grants.
func (v *inspection) waysIn() []grant {
	var list []grant
	r := v.install.Roles
	roles := []string{r.Owner, r.Worker, r.Runner, r.Operator, r.Viewer}
	for i, role := range roles {
		if !slices.Contains(roles[:i], role) {
			list = append(list, grant{Object: generator.Object{Kind: generator.KindPrivilege, Name: "schema " + v.install.Schema, Position: v.install.Position},
				kind: "schema", on: ident(v.install.Schema), role: role, needed: "USAGE"})
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
		if g.kind == "" {
			g.kind = "table"
		}
		list = append(list, g)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("reading the wanted privileges on %q: there is no GRANT", o.Name)
	}
	return list, nil
}

// calling is a function that the expressions of a policy or report call.
type calling struct {
	pgparse.Call
	kind, of string // "policy" or "report", and its name
	at       policy.Expr
}

// checkFunctionRights: functions that expressions name are called by the worker too. PostgreSQL looks at its
// right only when it runs them.
func (v *inspection) checkFunctionRights(ctx context.Context, tx pgx.Tx) error {
	list := v.calls()
	var schemas, names []string
	var arguments []int
	for _, c := range list {
		schemas, names, arguments = append(schemas, c.Schema), append(names, c.Name), append(arguments, c.Arguments)
	}
	rows, err := seen[closedFunction](ctx, tx, v.query("function_privileges"), v.worker(), schemas, names, arguments, v.install.SearchPath)
	if err != nil {
		return err
	}
	doubtful := map[string][]closedFunction{}
	for _, r := range rows {
		if c := list[r.N-1]; r.Another {
			doubtful[c.of] = append(doubtful[c.of], r)
		} else {
			v.callRefused(c, r)
		}
	}
	return v.checkDoubtful(ctx, tx, list, doubtful)
}

// checkDoubtful asks the policies' own functions which of several functions of a name is meant.
func (v *inspection) checkDoubtful(ctx context.Context, tx pgx.Tx, list []calling, doubtful map[string][]closedFunction) error {
	if len(doubtful) == 0 {
		return nil
	}
	if err := v.readMayCount(ctx, tx); err != nil {
		return err
	}
	for _, p := range v.file.Policies {
		if len(doubtful[p.Name]) == 0 || !v.mayCount {
			continue
		}
		err := v.plan(ctx, tx, p)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) {
			continue
		}
		for _, f := range doubtful[p.Name] {
			if c := list[f.N-1]; v.refusedTo(refused) != "" && strings.Contains(refused.Message, c.Name) {
				v.callRefused(c, f)
			}
		}
	}
	return nil
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
	said := map[pgparse.Call]bool{}
	for _, part := range parts {
		parsed, err := part.Parse()
		if err != nil {
			continue // refused when the file was read
		}
		for _, c := range parsed.Calls {
			if !said[c] {
				said[c] = true
				list = append(list, calling{c, kind, of, part.Expr})
			}
		}
	}
	return list
}

func (v *inspection) privilegeGroups() []group {
	groups := []group{
		{about: "the privileges of PUBLIC", codes: []string{codePublic}, check: v.checkPublic},
		{about: "what roles need in the runtime's schema", codes: []string{codeLacking}, check: v.checkLacking},
	}
	if v.install.Roles.None {
		v.noRoles()
		return groups
	}
	if shared := v.ownerIsAlso(); len(shared) > 0 {
		v.sharedOwner(shared)
	}
	groups = append(groups,
		group{about: "the roles", codes: []string{codeRole}, check: v.checkRoles},
		group{about: "who can change the runtime's tables", codes: []string{codeWritable}, check: v.checkWritable},
		group{about: "who can change rows by hand", codes: []string{codeHandRights}, check: v.checkHandRights},
		group{about: "what roles can do", codes: []string{codeExcess}, check: v.checkExcess})
	return groups
}

// ownerIsAlso lists the other roles for which the policy file names the owner.
func (v *inspection) ownerIsAlso() []string {
	var shared []string
	for _, other := range []struct{ kind, name string }{
		{"runner", v.install.Roles.Runner}, {"operator", v.install.Roles.Operator}, {"viewer", v.install.Roles.Viewer},
	} {
		if other.name == v.install.Roles.Owner {
			shared = append(shared, other.kind)
		}
	}
	return shared
}

// openSchema is a privilege of PUBLIC on a schema.
type openSchema struct{ Schema, Privilege string }

func (o openSchema) revoke() string {
	return fmt.Sprintf("REVOKE %s ON SCHEMA %s FROM PUBLIC;", o.Privilege, ident(o.Schema))
}

// checkPublic: nothing in the runtime's schema, no CREATE in the search path, where a function or
// operator of somebody else could take the place of the one that a policy means.
func (v *inspection) checkPublic(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[openSchema](ctx, tx, v.query("schema_open"), []string{v.install.Schema})
	for _, o := range rows {
		v.schemaPublic(o)
	}
	return err
}

// writer is a role that has privileges on tables of the runtime.
type writer struct {
	Role, Privileges string
	Tables           []string
}

func (v *inspection) checkWritable(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[writer](ctx, tx, v.query("writable"), v.install.Schema, v.otherRoles(), v.owner())
	for _, r := range rows {
		if r.Tables = slices.DeleteFunc(r.Tables, func(table string) bool { return r.Role == v.worker() && v.workerWrites(table, r.Privileges) }); len(r.Tables) > 0 {
			v.writable(r)
		}
	}
	return err
}

// workerWrites says whether the worker should have these privileges on a table of the runtime.
func (v *inspection) workerWrites(table, privileges string) bool {
	return slices.ContainsFunc(v.objects(generator.KindTable, generator.KindStored), func(o generator.Object) bool {
		return o.Name == table && !slices.ContainsFunc(strings.Split(privileges, ", "), func(p string) bool { return !slices.Contains(o.Writes, p) })
	})
}

// role is one of the install's roles as it is.
type role struct {
	Name                             string
	Found, Login, Superuser, Connect bool
	NoSessions, Closed               bool // by CONNECTION LIMIT 0 of the role, of the database
	Inherited                        bool // the owner has its privileges
}

func (v *inspection) checkRoles(ctx context.Context, tx pgx.Tx) error {
	r := v.install.Roles
	names := []string{r.Owner}
	for _, name := range []string{r.Worker, r.Runner, r.Operator, r.Viewer} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	rows, err := seen[role](ctx, tx, v.query("roles"), names, v.owner())
	for _, found := range rows {
		v.roleWrong(found)
	}
	if err != nil || v.install.Scheduler != "pg_cron" {
		return err
	}
	settings, err := v.runnersSettings(ctx, tx, "statement_timeout", "transaction_timeout", "exit_on_error")
	for _, s := range settings {
		if s.Name == "exit_on_error" && s.Value != "off" {
			v.endedByErrors(s)
		}
		if s.Milliseconds != nil && *s.Milliseconds > 0 {
			v.checkCutShort(s, time.Duration(*s.Milliseconds*float64(time.Millisecond)))
		}
	}
	return err
}

// checkCutShort: a run is one statement, and each of its batches one transaction.
func (v *inspection) checkCutShort(s sessionSetting, after time.Duration) {
	var longest job
	var may time.Duration
	for _, j := range v.jobs() {
		if n := len(j.policies); n > 0 && j.policies[n-1].budget > may {
			longest, may = j, j.policies[n-1].budget
		}
	}
	if after < may {
		v.cutShort(s, after, longest)
	}
}

var codeWritable = register("V071", Privileges, "a role can change the runtime's tables by hand")

func (v *inspection) writable(r writer) {
	v.add(Finding{Code: codeWritable, Object: r.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q has %s on %s", r.Role, r.Privileges, strings.Join(r.Tables, ", ")),
		Detail:  "It could change by hand what only the runtime's functions may change. Where a membership gives it that, end the membership.",
		Hint:    fmt.Sprintf("REVOKE %s ON %s FROM %s;", r.Privileges, commas(r.Tables, own), ident(r.Role))})
}

var codePublic = register("V070", Privileges, "everybody has a privilege in the runtime's schema")

func (v *inspection) schemaPublic(o openSchema) {
	v.add(Finding{Code: codePublic, Object: o.Schema, Position: v.install.Position,
		Message: fmt.Sprintf("PUBLIC has %s on schema %q", o.Privilege, o.Schema), Hint: o.revoke()})
}

func (v *inspection) relationPublic(r relation) {
	name := v.install.Schema + "." + r.Name
	v.add(Finding{Code: codePublic, Object: name, Message: fmt.Sprintf("PUBLIC has %s on %q", strings.Join(r.Open, ", "), name),
		Hint: fmt.Sprintf("REVOKE ALL ON %s FROM PUBLIC;", own(name))})
}

var codeNoRoles = register("V075", Privileges, "one role does everything")

func (v *inspection) noRoles() {
	v.add(Finding{Code: codeNoRoles, Severity: Info, Position: v.install.Position, Message: "one role does everything (roles: none)",
		Detail: fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.server.SchemaOwner)})
}

// sharedOwner: the owner is also "shared", as "runner".
func (v *inspection) sharedOwner(shared []string) {
	v.add(Finding{Code: codeNoRoles, Severity: Info, Position: v.install.Position,
		Message: fmt.Sprintf("role %q is the owner and also the %s", v.owner(), strings.Join(shared, ", the ")),
		Detail:  fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.owner())})
}
