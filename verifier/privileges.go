package verifier

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

func (v *inspection) privilegeGroups() []group {
	groups := []group{
		{about: "the privileges of PUBLIC", codes: []string{codePublic, codeSearchPath}, check: v.checkPublic},
		{about: "who can create in the search path", codes: []string{codeCreators}, check: v.checkCreators},
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
	if len(v.objects(generator.KindPrivilege)) > 0 {
		groups = append(groups, group{about: "the owner's privileges", codes: []string{codeTableRights}, check: v.checkTableRights})
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

// openSchema is a privilege of PUBLIC on a schema.
type openSchema struct{ Schema, Privilege string }

func (o openSchema) revoke() string {
	return fmt.Sprintf("REVOKE %s ON SCHEMA %s FROM PUBLIC;", o.Privilege, ident(o.Schema))
}

// checkPublic: nothing in the runtime's schema, no CREATE in the search path, where a function or
// operator of somebody else could take the place of the one that a policy means.
func (v *inspection) checkPublic(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[openSchema](ctx, tx, v.query("schema_open"), append([]string{v.install.Schema}, v.install.SearchPath...))
	for _, o := range rows {
		switch {
		case o.Schema == v.install.Schema:
			v.schemaPublic(o)
		case o.Privilege == "CREATE":
			v.searchPathOpen(o)
		}
	}
	return err
}

// writer is a role that has privileges on tables of the runtime.
type writer struct {
	Role, Privileges string
	Tables           []string
}

func (v *inspection) checkWritable(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[writer](ctx, tx, v.query("writable"), v.install.Schema, v.otherRoles())
	for _, r := range rows {
		v.writable(r)
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
	rows, err := seen[role](ctx, tx, v.query("roles"), names)
	for _, found := range rows {
		v.roleWrong(found)
	}
	return err
}

var grantOnTable = regexp.MustCompile(`(?m)^GRANT ([A-Z, ]+) ON "`)

// checkTableRights: the generated functions run as the owner, which must be able to do what they do.
func (v *inspection) checkTableRights(ctx context.Context, tx pgx.Tx) error {
	var wanted []generator.Object
	var tables, needed []string
	for _, o := range v.objects(generator.KindPrivilege) {
		if o.Table == "" {
			continue // the way into a schema
		}
		found := grantOnTable.FindStringSubmatch(o.SQL)
		if found == nil {
			return fmt.Errorf("reading the wanted privileges on %q: there is no GRANT", o.Name)
		}
		wanted, tables, needed = append(wanted, o), append(tables, o.Name), append(needed, found[1])
	}
	type lack struct {
		N         int
		Privilege string
	}
	rows, err := seen[lack](ctx, tx, v.query("table_privileges"), v.owner(), tables, needed)
	missing := map[int][]string{}
	for _, r := range rows {
		missing[r.N-1] = append(missing[r.N-1], r.Privilege)
	}
	for i, o := range wanted {
		if len(missing[i]) > 0 {
			v.tableRights(o, needed[i], missing[i])
		}
	}
	return err
}
