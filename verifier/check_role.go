package verifier

import "fmt"

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
	add(r.Superuser, "is a superuser", fmt.Sprintf("ALTER ROLE %s NOSUPERUSER;", ident(r.Name)))
}
