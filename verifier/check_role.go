package verifier

import (
	"fmt"
	"time"
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
	add(r.Name == v.install.Roles.Owner && r.Login && len(v.ownerIsAlso()) == 0, "can log in", fmt.Sprintf("ALTER ROLE %s NOLOGIN;", ident(r.Name)))
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
