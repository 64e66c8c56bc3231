package verifier

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

func (v *inspection) privilegeGroups() []group {
	groups := []group{{"the privileges of PUBLIC", v.checkPublic}}
	if v.install.Roles.None {
		v.add(Finding{Code: codeNoRoles, Severity: Info, Position: v.install.Position, Message: "one role does everything (roles: none)",
			Detail: fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.server.SchemaOwner)})
		return groups
	}
	if shared := v.ownerIsAlso(); len(shared) > 0 {
		v.add(Finding{Code: codeNoRoles, Severity: Info, Position: v.install.Position,
			Message: fmt.Sprintf("role %q is the owner and also the %s", v.owner(), strings.Join(shared, ", the ")),
			Detail:  fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.owner())})
	}
	groups = append(groups, group{"the roles", v.checkRoles}, group{"who can change the runtime's tables", v.checkWritable})
	if len(v.objects(generator.KindPrivilege)) > 0 {
		groups = append(groups, group{"the owner's privileges", v.checkTableRights})
	}
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

// checkPublic: nothing in the runtime's schema, no CREATE in the search path, where a function or
// operator of somebody else could take the place of the one that a policy means.
func (v *inspection) checkPublic(ctx context.Context, tx pgx.Tx) error {
	type open struct{ Schema, Privilege string }
	rows, err := many[open](ctx, tx, v.query("schema_open"), append([]string{v.install.Schema}, v.install.SearchPath...))
	for _, o := range rows {
		revoke := fmt.Sprintf("REVOKE %s ON SCHEMA %s FROM PUBLIC.", o.Privilege, o.Schema)
		switch {
		case o.Schema == v.install.Schema:
			v.add(Finding{Code: codePublic, Object: o.Schema, Position: v.install.Position, Message: fmt.Sprintf("PUBLIC has %s on schema %q", o.Privilege, o.Schema), Hint: revoke})
		case o.Privilege == "CREATE":
			v.add(Finding{Code: codeSearchPath, Object: o.Schema, Position: v.install.Position,
				Message: fmt.Sprintf("PUBLIC can create objects in schema %q of the search path", o.Schema),
				Detail:  "A function or operator of the same name could change what a policy means.", Hint: revoke})
		}
	}
	return err
}

func (v *inspection) checkWritable(ctx context.Context, tx pgx.Tx) error {
	type right struct {
		Role, Privileges string
		Tables           []string
	}
	roles := v.install.Roles
	others := slices.DeleteFunc([]string{roles.Runner, roles.Operator, roles.Viewer}, func(name string) bool { return name == roles.Owner })
	rows, err := many[right](ctx, tx, v.query("writable"), v.install.Schema, others)
	for _, r := range rows {
		v.add(Finding{Code: codeWritable, Object: r.Role, Position: v.install.Position,
			Message: fmt.Sprintf("role %q has %s on %s", r.Role, r.Privileges, strings.Join(r.Tables, ", ")),
			Detail:  "It could change by hand what only the runtime's functions may change.",
			Hint:    fmt.Sprintf("REVOKE %s FROM %s, or end the membership that gives it.", r.Privileges, r.Role)})
	}
	return err
}

// role is one of the install's roles as it is.
type role struct {
	Name                             string
	Found, Login, Superuser, Connect bool
}

func (v *inspection) checkRoles(ctx context.Context, tx pgx.Tx) error {
	r := v.install.Roles
	names := []string{r.Owner}
	for _, name := range []string{r.Runner, r.Operator, r.Viewer} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	rows, err := many[role](ctx, tx, v.query("roles"), names)
	for _, found := range rows {
		for _, fault := range v.roleFaults(found) {
			v.add(Finding{Code: codeRole, Object: found.Name, Position: v.install.Position, Message: fmt.Sprintf("role %q %s", found.Name, fault.what), Hint: fault.hint})
		}
	}
	return err
}

type roleFault struct{ what, hint string }

func (v *inspection) roleFaults(r role) []roleFault {
	var faults []roleFault
	add := func(wrong bool, what, hint string) {
		if wrong {
			faults = append(faults, roleFault{what, hint})
		}
	}
	if !r.Found {
		add(true, "does not exist", `Have a DBA run what "pgretain bootstrap" prints.`)
		return faults
	}
	add(r.Name == v.install.Roles.Owner && r.Login && len(v.ownerIsAlso()) == 0, "can log in", fmt.Sprintf("ALTER ROLE %s NOLOGIN; the owner can do everything.", r.Name))
	if r.Name == v.install.Roles.Runner && v.install.Scheduler == "pg_cron" {
		add(!r.Login, "cannot log in, so that pg_cron cannot run its jobs", fmt.Sprintf("ALTER ROLE %s LOGIN.", r.Name))
		add(!r.Connect, fmt.Sprintf("has no CONNECT on database %q", v.server.Database), fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s.", v.server.Database, r.Name))
	}
	add(r.Superuser, "is a superuser", fmt.Sprintf("ALTER ROLE %s NOSUPERUSER; nothing of pgretain needs it.", r.Name))
	return faults
}

var grantOnTable = regexp.MustCompile(`(?m)^GRANT ([A-Z, ]+) ON "`)

// checkTableRights: the generated functions run as the owner, which must be able to do what they do.
func (v *inspection) checkTableRights(ctx context.Context, tx pgx.Tx) error {
	for _, o := range v.objects(generator.KindPrivilege) {
		if o.Table == "" {
			continue // the way into a schema
		}
		found := grantOnTable.FindStringSubmatch(o.SQL)
		if found == nil {
			return fmt.Errorf("reading the wanted privileges on %q: there is no GRANT", o.Name)
		}
		missing, err := many[struct{ Name string }](ctx, tx, v.query("table_privileges"), v.owner(), o.Name, strings.Split(found[1], ", "))
		if err != nil {
			return err
		}
		var names []string
		for _, m := range missing {
			names = append(names, m.Name)
		}
		if len(names) > 0 {
			v.about(o, Finding{Code: codeTableRights, Message: fmt.Sprintf("role %q lacks %s on table %q", v.owner(), strings.Join(names, ", "), o.Name),
				Detail: "Runs of the policies that need it fail.", Hint: fmt.Sprintf("GRANT %s ON %s TO %s, and USAGE on its schema.", found[1], o.Name, v.owner())})
		}
	}
	return nil
}
