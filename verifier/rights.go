package verifier

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkRights checks the privileges of the worker, which runs the generated functions. It also
// checks that roles can use the runtime's schema to call functions.
func (v *inspection) checkRights(r reading) error {
	var wanted []generator.Right
	var about []generator.Object
	schema := v.install.Schema
	for _, role := range lists.Distinct(v.install.Roles.All()) { // the migration of the runtime grants USAGE
		wanted = append(wanted, generator.UsageOf(schema, role))
		about = append(about, generator.Object{Kind: generator.KindPrivilege, Name: "schema " + schema,
			Position: v.install.Position})
	}
	for _, o := range v.objects(generator.KindPrivilege) {
		wanted, about = append(wanted, o.Rights...), append(about,
			slices.Repeat([]generator.Object{o}, len(o.Rights))...)
	}
	return eachFact(r, "role_privileges", func(l messages.RoleLack) {
		right, o := wanted[l.N-1], about[l.N-1]
		l.Kind, l.Name, l.Role = string(right.Kind), right.Object(), string(right.Role)
		l.Needed = right.Privileges.String()
		if right.Kind == "sequence" {
			o.Name = l.Name
		}
		v.about(o, messages.LacksPrivilege(v.install.Roles.All(), l))
	}, wanted)
}

// checkFunctionRights checks that the worker may execute the functions that expressions name.
// PostgreSQL checks this only when it executes them.
func (v *inspection) checkFunctionRights(r reading) error {
	type call struct {
		Schema    string `json:"schema"`
		Function  string `json:"function"`
		Arguments int    `json:"arguments"`
		Kind      string `json:"kind"` // "policy" or "report"
		Name      string `json:"name"`
	}
	var about []generator.Object
	calls := []call{}
	add := func(kind, name string, parts []policy.SQLFragment) {
		known := map[pgparse.Call]bool{}
		for _, part := range parts {
			for _, c := range part.Expr.Parsed().Calls {
				if !known[c] {
					known[c] = true
					about = append(about, generator.Object{Policy: name, Position: part.Expr.Position})
					calls = append(calls, call{c.Schema, c.Name, c.Arguments, kind, name})
				}
			}
		}
	}
	for _, p := range v.file.Policies {
		add("policy", p.Name, p.Fragments())
	}
	for _, r := range v.file.Reports {
		add("report", r.Name, r.Fragments())
	}
	lacking := []string{}
	for _, f := range v.report.Findings {
		if f.Code == messages.CodeTableRights {
			lacking = append(lacking, f.Object)
		}
	}
	return eachFact(r, "function_privileges", func(f messages.ClosedFunction) {
		call, o := calls[f.N-1], about[f.N-1]
		f.Kind, f.Name = call.Kind, call.Name
		o.Name = f.Function
		v.about(o, messages.LacksExecute(v.worker(), f))
	}, v.worker(), calls, v.install.SearchPath, lacking)
}

// checkConditions checks that the worker may use what functions of the application use. The server
// tells this only when it executes them. Other findings report privileges on objects that the
// policy file names.
func (v *inspection) checkConditions(r reading) error {
	names := lists.Map(v.file.Policies, func(p *policy.Policy) string { return p.Name })
	said := map[string]string{} // messages of findings, by the object and the server's message
	return eachFact(r, "denied", func(p messages.DeniedPolicy) {
		m, key := messages.EvaluationDenied(v.worker(), p), p.Object+": "+p.Denied
		switch other := said[key]; {
		case other != "":
			v.affected[other] = append(v.affected[other], p.Policy)
		case !v.knownLack(v.worker(), &pgconn.PgError{Message: p.Denied}):
			said[key], v.reasons[m.Message] = m.Message, []string{p.Denied}
			v.add(m)
		}
	}, names, v.worker())
}

// checkPrivileges compares the privileges in the runtime's schema with the list of
// retention._apply_privileges().
func (v *inspection) checkPrivileges(r reading) error {
	objects := append(v.routines(), v.relations()...)
	return eachFact(r, "privileges", func(p messages.ObjectPrivileges) {
		m := messages.OtherPrivileges(v.install.Schema, p)
		if p.N > 0 {
			v.about(objects[p.N-1], m)
		} else {
			v.addKind(generator.Kind(p.Kind), m)
		}
	}, v.install.Schema, lists.Map(objects, func(o generator.Object) row {
		name, _, _ := strings.Cut(v.inSchema(o), "(")
		return row{"name": o.Name, "open": generator.ForApplications(name), "roles": o.Grants, "writes": o.Writes}
	}), v.worker())
}

// oneRole reports if the owner is also the runner, the operator or the viewer of the install.
func (v *inspection) oneRole() {
	_, shared := v.otherRoles()
	switch {
	case v.install.Roles.None:
		v.addToInstall(messages.OneRole(v.owner()))
	case len(shared) > 0:
		v.addToInstall(messages.OwnerIsAlso(v.owner(), shared))
	}
}

// otherRoles divides runner, operator and viewer into two lists: names of roles other than the
// owner, and roles for which the install names the owner.
func (v *inspection) otherRoles() (names, shared []string) {
	roles := v.install.Roles
	for _, other := range [][2]string{{"runner", roles.Runner}, {"operator", roles.Operator},
		{"viewer", roles.Viewer}} {
		if other[1] == roles.Owner {
			shared = append(shared, other[0])
		} else {
			names = append(names, other[1])
		}
	}
	return names, shared
}

// checkRoles checks the roles of the install, and the privileges of PUBLIC. With "roles: none" it
// checks only these privileges.
func (v *inspection) checkRoles(r reading) error {
	schema, roles := v.install.Schema, v.install.Roles
	err := eachFact(r, "public_privileges", func(p struct{ PrivilegeType string }) {
		v.addToInstall(messages.PublicPrivilege(schema, p.PrivilegeType))
	}, schema)
	if err != nil || roles.None {
		return err
	}
	others, shared := v.otherRoles()
	others = lists.Distinct(others)
	err = eachFact(r, "roles", func(role messages.Role) {
		role.Owner, role.Database, role.Scheduler = roles.Owner, v.server.Database, "a scheduler"
		role.OwnsOnly = role.Name == roles.Owner && len(shared) == 0
		role.IsWorker, role.IsRunner = role.Name == roles.Worker, role.Name == roles.Runner
		if v.install.Scheduler == "pg_cron" {
			role.Scheduler = "pg_cron"
			role.CronMissing = !v.install.CronElsewhere() && !role.Cron
		}
		for _, m := range messages.RoleFaults(role) {
			v.addToInstall(m)
		}
	}, roles.Owner, lists.Distinct(roles.All()))
	if err != nil {
		return err
	}
	err = eachFact(r, "role_excess", func(e messages.RoleExcess) { v.addToInstall(messages.Excess(e)) }, roles.Owner,
		roles.Worker, others)
	if err != nil {
		return err
	}
	tables := v.changedTables(true)
	err = eachFact(r, "row_changers", func(c messages.RowChanger) { v.addToInstall(messages.ChangesByHand(c)) },
		roles.Owner, others, tables)
	if err != nil {
		return err
	}
	members, err := collectTexts(r, "owner_members", roles.Owner, roles.Runner, others, tables)
	if len(members) > 0 {
		v.addToInstall(messages.CanBecomeOwner(roles.Owner, members))
	}
	return err
}

// checkSessions reports settings that disable triggers in sessions of the runner or that end these
// sessions too early. Such settings affect the sessions of every scheduler.
func (v *inspection) checkSessions(r reading) error {
	settings := []string{"session_replication_role"}
	if !v.install.Roles.None {
		settings = append(settings, "exit_on_error", "statement_timeout", "transaction_timeout")
	}
	longest := scheduledRun{job: &policy.Job{}}
	for _, s := range v.runs() {
		if s.budget > longest.budget {
			longest = s
		}
	}
	return eachFact(r, "session_settings", func(s messages.SessionSetting) {
		v.addToInstall(messages.HarmfulSetting(v.runner(), v.server.Database, longest.job.Name, s))
	}, v.runner(), settings, float64(longest.budget.Milliseconds()))
}

// changedTables returns the tables in which policies change or take rows. If the parameter "more"
// is true, it adds the tables of all policies, and their archives.
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

// takers returns the functions that detach and drop tables.
func (v *inspection) takers() []generator.Object {
	return slices.DeleteFunc(v.objects(generator.KindFunction),
		func(o generator.Object) bool { return o.As != generator.AsMigrator })
}

// checkOwners checks that the owner of the function that detaches or drops a table is a member of
// the table's owner. Only the owner of a table may detach or drop it. A new partition may have
// another owner than the older ones.
func (v *inspection) checkOwners(r reading) error {
	takers := v.takers()
	return eachFact(r, "table_owners", func(f messages.ForeignTables) {
		taker := takers[f.N-1]
		f.Policy, f.Function = taker.Policy, taker.Name
		v.about(taker, messages.CannotTake(f))
	}, lists.Map(takers, func(o generator.Object) row { return row{"function": o.Name, "table": o.Table} }))
}
