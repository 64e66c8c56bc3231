package verifier

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

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
		v.writable(r)
	}
	return err
}

// role is one of the install's roles as it is.
type role struct {
	Name                             string
	Found, Login, Superuser, Connect bool
	NoSessions, Closed               bool // by CONNECTION LIMIT 0 of the role, of the database
}

func (v *inspection) checkRoles(ctx context.Context, tx pgx.Tx) error {
	r := v.install.Roles
	names := []string{r.Owner}
	for _, name := range []string{r.Runner, r.Operator, r.Viewer} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	rows, err := seen[role](ctx, tx, v.query("roles"), names)
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
