package verifier

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// oneRole tells of an owner that is other roles as well.
func (v *inspection) oneRole() {
	roles := v.install.Roles
	f := message{Code: codeNoRoles, Severity: Info, Position: v.install.Position, Message: "one role does everything (roles: none)",
		Detail: fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.owner())}
	if !roles.None {
		shared := v.ownerIsAlso()
		if len(shared) == 0 {
			return
		}
		f.Message = fmt.Sprintf("role %q is the owner and also the %s", roles.Owner, strings.Join(shared, ", the "))
	}
	v.add(f)
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

// role is one of the install's roles as it is.
type role struct {
	Name                             string
	Found, Login, Superuser, Connect bool
	NoSessions, Closed               bool // by CONNECTION LIMIT 0 of the role, of the database
	Inherited                        bool // the owner has its privileges
}

func (v *inspection) checkRoles(r reading) error {
	err := each(r, "roles", v.compareRole, v.allRoles(), v.owner())
	if err != nil || v.install.Scheduler != "pg_cron" {
		return err
	}
	return each(r, "session_settings", func(s sessionSetting) {
		if s.Name == "exit_on_error" && s.Value != "off" { // a refused row is an error that a batch catches, unless it ends the session first
			v.add(message{Code: codeRole, Object: v.runner(), Position: v.install.Position, Hint: v.resetHint(s),
				Message: fmt.Sprintf("sessions of role %q end at the first error, since exit_on_error is %s", v.runner(), s.Value),
				Detail:  "A run that meets a locked or refused row ends with its session, and is not written down."})
		}
		if s.Milliseconds != nil && *s.Milliseconds > 0 {
			v.checkTimeLimit(s, time.Duration(*s.Milliseconds*float64(time.Millisecond)))
		}
	}, v.runner(), []string{"statement_timeout", "transaction_timeout", "exit_on_error"})
}

// compareRole has a finding for each fault of a role.
func (v *inspection) compareRole(r role) {
	add := func(wrong bool, what, hint string) {
		if wrong {
			v.add(message{Code: codeRole, Object: r.Name, Position: v.install.Position, Message: fmt.Sprintf("role %q %s", r.Name, what), Hint: hint})
		}
	}
	if !r.Found {
		add(true, "does not exist", "pgretain bootstrap | psql -X -v ON_ERROR_STOP=1")
		return
	}
	roles, name, database := v.install.Roles, ident(r.Name), ident(v.server.Database)
	runner := r.Name == roles.Runner && v.install.Scheduler == "pg_cron"
	worker, owner := r.Name == roles.Worker, r.Name == roles.Owner && len(v.ownerIsAlso()) == 0
	add(worker && !r.Inherited, fmt.Sprintf("does not pass its privileges on to %q", v.owner()), fmt.Sprintf("GRANT %s TO %s;", name, ident(v.owner())))
	add((owner || worker) && r.Login, "can log in", fmt.Sprintf("ALTER ROLE %s NOLOGIN;", name))
	add(runner && !r.Login, "cannot log in, so that pg_cron cannot run its jobs", fmt.Sprintf("ALTER ROLE %s LOGIN;", name))
	add(runner && !r.Connect, fmt.Sprintf("has no CONNECT on database %q", v.server.Database), fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s;", database, name))
	add(runner && !r.Superuser && r.NoSessions, "may have no session: its CONNECTION LIMIT is 0", fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT -1;", name))
	add(runner && !r.Superuser && r.Closed, fmt.Sprintf("cannot connect: the CONNECTION LIMIT of database %q is 0", v.server.Database),
		fmt.Sprintf("ALTER DATABASE %s CONNECTION LIMIT -1;", database))
	add(r.Superuser, "is a superuser", fmt.Sprintf("ALTER ROLE %s NOSUPERUSER;", name))
}

// sessionSetting is one with which sessions of the runner begin.
type sessionSetting struct {
	Name, Value  string
	Milliseconds *float64 // of a time
	Of           string   // "role", "database", "both", "all", "server"
}

// resetHint takes a setting back where it is set.
func (v *inspection) resetHint(s sessionSetting) string {
	role, database := ident(v.runner()), ident(v.server.Database)
	switch s.Of {
	case "both":
		return fmt.Sprintf("ALTER ROLE %s IN DATABASE %s RESET %s;", role, database, s.Name)
	case "role":
		return fmt.Sprintf("ALTER ROLE %s RESET %s;", role, s.Name)
	case "database":
		return fmt.Sprintf("ALTER DATABASE %s RESET %s;", database, s.Name)
	case "all":
		return fmt.Sprintf("ALTER ROLE ALL RESET %s;", s.Name)
	}
	return fmt.Sprintf("ALTER SYSTEM RESET %s; SELECT pg_reload_conf();", s.Name)
}

// noTimeAtAll is less than a job takes to begin, work and write down how it ended.
const noTimeAtAll = time.Second

// checkTimeLimit: a run is one statement, and each of its batches one transaction. The functions of the runtime cannot
// defend themselves against a setting that ends either: it counts from before they are called.
func (v *inspection) checkTimeLimit(s sessionSetting, after time.Duration) {
	longest, may := "", time.Duration(0)
	for _, j := range v.jobs() {
		if n := len(j.runs); n > 0 && j.runs[n-1].budget > may {
			longest, may = j.name, j.runs[n-1].budget
		}
	}
	if after >= may {
		return
	}
	f := message{Code: codeRole, Severity: Info, Object: v.runner(), Position: v.install.Position, Hint: v.resetHint(s),
		Message: fmt.Sprintf("sessions of role %q have %s %s, and job %q may take longer", v.runner(), s.Name, s.Value, longest),
		Detail:  "The call of a job is one statement: what it has not done by then it leaves to the next, and it ends failed."}
	if s.Name == "transaction_timeout" {
		f.Detail = "A batch that takes longer is undone, and the session ended with the run in it."
	} else if after < noTimeAtAll {
		f.Severity = ""
	}
	v.add(f)
}

// checkExcess is about what roles can do and nothing of ours needs: drift where it leads to rows that only runs should
// change.
func (v *inspection) checkExcess(r reading) error {
	type excess struct {
		Role    string
		Changes bool // other people's rows
		Fault   string
	}
	err := each(r, "excess", func(e excess) {
		f := message{Code: codeExcess, Severity: Info, Object: e.Role, Position: v.install.Position,
			Message: fmt.Sprintf("role %q %s", e.Role, e.Fault), Detail: "Nothing of pgretain needs it."}
		if e.Changes {
			f.Severity = diag.Drift
			f.Detail += " With it the role can change rows by hand, past holds, guards and run log."
		}
		if attribute, ok := strings.CutPrefix(e.Fault, "has "); ok {
			f.Hint = fmt.Sprintf("ALTER ROLE %s NO%s;", quote.Ident(e.Role), attribute)
		} else {
			group := strings.Trim(strings.TrimPrefix(e.Fault, "is a member of "), `"`)
			f.Hint = fmt.Sprintf("REVOKE %s FROM %s;", quote.Ident(group), quote.Ident(e.Role))
		}
		v.add(f)
	}, v.owner(), append(v.otherRoles(), v.worker()), v.worker())
	if err != nil {
		return err
	}
	var names []string
	err = each(r, "successors", func(s struct{ Name string }) { names = append(names, quoted(s.Name)) },
		v.owner(), v.runner(), v.otherRoles(), v.changedTables())
	if len(names) > 0 {
		v.add(message{Code: codeExcess, Severity: Info, Object: v.owner(), Position: v.install.Position,
			Message: fmt.Sprintf("%s can become %q", strings.Join(names, ", "), v.owner()),
			Detail:  "They can delete by hand and change the run log. They neither own a table of a policy nor are members of the runner, as a role that migrates is."})
	}
	return err
}

// checkHandRights is about what roles may do with rows of policies: for information where the application chose it,
// since it gave everybody these rights, or the install an owner of its tables for a role.
func (v *inspection) checkHandRights(r reading) error {
	type handRights struct {
		Role   string // "" is PUBLIC
		Owns   bool
		Rights string
		Tables []string
	}
	return each(r, "hand_rights", func(h handRights) {
		const most = 5
		if more := len(h.Tables) - most; more > 0 {
			h.Tables = append(h.Tables[:most:most], fmt.Sprintf("%d more", more))
		}
		tables := strings.Join(h.Tables, ", ")
		f := message{Code: codeHandRights, Object: h.Role, Position: v.install.Position,
			Message: fmt.Sprintf("role %q has %s on %s", h.Role, h.Rights, tables),
			Detail:  "It can delete or change rows by hand, past holds, guards, breaker and run log.",
			Hint:    fmt.Sprintf("Revoke %s on these tables from %q, or end the membership that gives it.", h.Rights, h.Role)}
		switch {
		case h.Role == "":
			f.Severity, f.Object, f.Message = Info, "PUBLIC", fmt.Sprintf("PUBLIC has %s on %s", h.Rights, tables)
			f.Detail = "Everybody can delete or change rows by hand, past holds, guards, breaker and run log."
			f.Hint = fmt.Sprintf("Revoke %s on these tables from PUBLIC, unless the application needs it.", h.Rights)
		case h.Owns:
			f.Severity, f.Hint, f.Message = Info, "", fmt.Sprintf("role %q owns %s", h.Role, tables)
		}
		v.add(f)
	}, v.changedTables(), v.otherRoles(), v.owner())
}

// changedTables are the tables of policies, those that they change, and their archives.
func (v *inspection) changedTables() []string {
	var list []string
	for _, p := range v.file.Policies {
		list = append(list, p.Table.String())
		list = append(list, mapped(p.Changes(), policy.Table.String)...)
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
	type foreignTables struct { // those of an owner whom a function's own owner is no member of
		N               int
		Table           string
		Count           int
		Owner, Function string
	}
	takers := v.takers()
	return each(r, "table_owners", func(f foreignTables) {
		o := takers[f.N-1]
		v.about(o, message{Code: codeTakeRights,
			Message: fmt.Sprintf("policy %q cannot detach or drop tables of role %q, who owns %q", o.Policy, f.Owner, f.Table),
			Detail:  fmt.Sprintf("Function %q belongs to role %q, which is no member of it. This is so for %s. Make it a member, or give the tables one owner.", o.Name, f.Function, plural(f.Count, "table")),
			Hint:    fmt.Sprintf("GRANT %s TO %s;", ident(f.Owner), ident(f.Function))})
	}, mapped(takers, func(o generator.Object) string { return o.Name }), mapped(takers, func(o generator.Object) string { return o.Table }))
}
