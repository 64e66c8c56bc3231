package verifier

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/generator"
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

func (v *inspection) checkRoles(r reading) error {
	roles := v.install.Roles
	special := []string{roles.Owner, roles.Worker, roles.Runner}
	if len(v.ownerIsAlso()) > 0 {
		special[0] = ""
	}
	if v.install.Scheduler != "pg_cron" {
		special[2] = ""
	}
	err := v.finds(codeRole, v.install.Position, "roles", v.allRoles(), special, v.owner())(r)
	if err != nil || v.install.Scheduler != "pg_cron" {
		return err
	}
	return each(r, "session_settings", func(s sessionSetting) {
		if s.Name == "exit_on_error" && s.Value != "off" { // a refused row is an error that a batch catches, unless it ends the session first
			v.add(message{Code: codeRole, Object: v.runner(), Position: v.install.Position, Hint: s.Reset,
				Message: fmt.Sprintf("sessions of role %q end at the first error, since exit_on_error is %s", v.runner(), s.Value),
				Detail:  "A run that meets a locked or refused row ends with its session, and is not written down."})
		}
		if s.Milliseconds != nil && *s.Milliseconds > 0 {
			v.checkTimeLimit(s, time.Duration(*s.Milliseconds*float64(time.Millisecond)))
		}
	}, v.runner(), []string{"statement_timeout", "transaction_timeout", "exit_on_error"})
}

// sessionSetting is one with which sessions of the runner begin.
type sessionSetting struct {
	Name, Value  string
	Milliseconds *float64 // of a time
	Reset        string   // takes it back where it is set
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
	f := message{Code: codeRole, Severity: Info, Object: v.runner(), Position: v.install.Position, Hint: s.Reset,
		Message: fmt.Sprintf("sessions of role %q have %s %s, and job %q may take longer", v.runner(), s.Name, s.Value, longest),
		Detail:  "The call of a job is one statement: what it has not done by then it leaves to the next, and it ends failed."}
	if s.Name == "transaction_timeout" {
		f.Detail = "A batch that takes longer is undone, and the session ended with the run in it."
	} else if after < noTimeAtAll {
		f.Severity = ""
	}
	v.add(f)
}

// checkExcess is about what roles can do and nothing of ours needs, and about who can become the owner.
func (v *inspection) checkExcess(r reading) error {
	err := v.finds(codeExcess, v.install.Position, "excess", v.owner(), append(v.otherRoles(), v.worker()), v.worker())(r)
	if err != nil {
		return err
	}
	return v.finds(codeExcess, v.install.Position, "successors", v.owner(), v.runner(), v.otherRoles(), v.changedTables())(r)
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
			Hint:    fmt.Sprintf("GRANT %s TO %s;", quote.Ident(f.Owner), quote.Ident(f.Function))})
	}, mapped(takers, func(o generator.Object) string { return o.Name }), mapped(takers, func(o generator.Object) string { return o.Table }))
}
