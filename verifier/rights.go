package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// checkRights: the generated functions run as the worker, which must be able to do what they do; and without
// the way into the runtime's schema nobody can call them.
func (v *inspection) checkRights(r reading) error {
	var wanted []generator.Right
	var about []generator.Object
	schema := v.install.Schema
	for _, role := range distinct(v.install.Roles.All()) { // which the runtime's own migration grants
		wanted = append(wanted, generator.Right{Kind: "schema", Name: schema, On: quote.Ident(schema), Role: role, Needed: "USAGE"})
		about = append(about, generator.Object{Kind: generator.KindPrivilege, Name: "schema " + schema, Position: v.install.Position})
	}
	for _, o := range v.objects(generator.KindPrivilege) {
		wanted, about = append(wanted, o.Rights...), append(about, slices.Repeat([]generator.Object{o}, len(o.Rights))...)
	}
	return v.finds(codeTableRights, about, "role_privileges", wanted, v.install.Roles.All())(r)
}

// checkFunctionRights: functions that expressions name are called by the worker too. PostgreSQL looks at its
// right only when it runs them.
func (v *inspection) checkFunctionRights(r reading) error {
	var about []generator.Object
	var schemas, names, kinds, of []string
	var arguments []int
	add := func(kind, name string, parts []policy.Part) {
		known := map[pgparse.Call]bool{}
		for _, part := range parts {
			for _, c := range part.Parsed().Calls {
				if !known[c] {
					known[c] = true
					about = append(about, generator.Object{Policy: name, Position: part.Expr.Position})
					schemas, names, arguments, kinds, of = append(schemas, c.Schema), append(names, c.Name), append(arguments, c.Arguments), append(kinds, kind), append(of, name)
				}
			}
		}
	}
	for _, p := range v.file.Policies {
		add("policy", p.Name, p.Parts())
	}
	for _, r := range v.file.Reports {
		add("report", r.Name, r.Parts())
	}
	lacking := []string{}
	for _, f := range v.report.Findings {
		if f.Code == codeTableRights {
			lacking = append(lacking, f.Object)
		}
	}
	return v.finds(codeTableRights, about, "function_privileges", v.worker(), schemas, names, arguments, kinds, of,
		v.install.SearchPath, lacking)(r)
}

// checkPrivileges is about what the list of retention._close() says of each object in the runtime's schema.
func (v *inspection) checkPrivileges(r reading) error {
	type wanted struct {
		Name   string   `json:"name"`
		Open   bool     `json:"open"` // somebody may grant it to roles of the application
		Roles  []string `json:"roles"`
		Writes []string `json:"writes"`
	}
	objects := append(v.routines(), v.relations()...)
	return v.finds(codePrivileges, objects, "privileges", v.install.Schema, lists.Map(objects, func(o generator.Object) wanted {
		name, _, _ := strings.Cut(v.inSchema(o), "(")
		return wanted{o.Name, generator.ForApplications(name), o.Grants, o.Writes}
	}), v.worker())(r)
}

// oneRole tells of an owner that is other roles as well.
func (v *inspection) oneRole() {
	roles, shared, said := v.install.Roles, v.ownerIsAlso(), "one role does everything (roles: none)"
	if !roles.None {
		said = fmt.Sprintf("role %q is the owner and also the %s", roles.Owner, strings.Join(shared, ", the "))
	}
	if roles.None || len(shared) > 0 {
		v.add(message{Code: codeNoRoles, Severity: Info, Position: v.install.Position, Message: said,
			Detail: fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.owner())})
	}
}

// ownerIsAlso lists the other roles for which the policy file names the owner.
func (v *inspection) ownerIsAlso() []string {
	var shared []string
	for _, other := range [][2]string{{"runner", v.install.Roles.Runner}, {"operator", v.install.Roles.Operator}, {"viewer", v.install.Roles.Viewer}} {
		if other[1] == v.install.Roles.Owner {
			shared = append(shared, other[0])
		}
	}
	return shared
}

// otherRoles are runner, operator and viewer, without the owner.
func (v *inspection) otherRoles() []string {
	roles := v.install.Roles
	return slices.DeleteFunc([]string{roles.Runner, roles.Operator, roles.Viewer}, func(name string) bool { return name == roles.Owner })
}

func (v *inspection) checkRoles(r reading) error {
	roles := v.install.Roles
	special := []string{roles.Owner, roles.Worker, roles.Runner}
	if len(v.ownerIsAlso()) > 0 {
		special[0] = ""
	}
	if v.install.Scheduler != "pg_cron" {
		special[2] = ""
	}
	return v.finds(codeRole, v.atInstall(), "roles", distinct(v.install.Roles.All()), special, v.owner())(r)
}

// checkSessions is about how sessions of the runner begin; where pg_cron begins them, also about what ends them.
func (v *inspection) checkSessions(r reading) error {
	settings := []string{"session_replication_role"}
	if !v.install.Roles.None && v.install.Scheduler == "pg_cron" {
		settings = append(settings, "exit_on_error", "statement_timeout", "transaction_timeout")
	}
	longest := scheduledRun{job: &policy.Job{}}
	for _, s := range v.runs() {
		if s.budget > longest.budget {
			longest = s
		}
	}
	return v.finds("", v.atInstall(), "session_settings", v.runner(), settings, float64(longest.budget.Milliseconds()), longest.job.Name)(r)
}

// checkExcess is about what roles can do and nothing of ours needs, and about who can become the owner.
func (v *inspection) checkExcess(r reading) error {
	err := v.finds(codeExcess, v.atInstall(), "excess", v.owner(), append(v.otherRoles(), v.worker()), v.worker())(r)
	if err != nil {
		return err
	}
	return v.finds(codeExcess, v.atInstall(), "successors", v.owner(), v.runner(), v.otherRoles(), v.changedTables(true))(r)
}

// changedTables are the tables where policies change or take rows; with more also those of all policies, and their archives.
func (v *inspection) changedTables(more bool) []string {
	list := []string{}
	for _, p := range v.file.Policies {
		list = append(list, lists.Map(p.Changes(), policy.Table.String)...)
		if !more {
			continue
		}
		list = append(list, p.Table.String())
		for _, s := range p.Then {
			if s.Archive != nil {
				list = append(list, s.Archive.Into.String())
			}
		}
	}
	return list
}

// takers are the functions that detach and drop tables.
func (v *inspection) takers() []generator.Object {
	return slices.DeleteFunc(v.objects(generator.KindFunction), func(o generator.Object) bool { return o.As != generator.AsMigrator })
}

// checkOwners: only a table's owner may detach or drop it, so that the function which does
// must belong to a member of that role. New partitions may have another owner than the old ones.
func (v *inspection) checkOwners(r reading) error {
	takers := v.takers()
	return v.finds(codeTakeRights, takers, "table_owners", lists.Map(takers, objectName),
		lists.Map(takers, func(o generator.Object) string { return o.Policy }), lists.Map(takers, func(o generator.Object) string { return o.Table }))(r)
}
