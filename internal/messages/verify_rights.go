package messages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// RoleLack says what a role lacks on an object. Lacks has the missing ones of the privileges in
// Needed. Object is the object as GRANT names it.
type RoleLack struct {
	N                        int
	Lacks, Object            string
	Kind, Name, Role, Needed string `db:"-"`
}

// LacksPrivilege takes the owner, the worker, the runner, the operator and the viewer.
func LacksPrivilege(roles []string, l RoleLack) diag.Diagnostic {
	effect := "It cannot call the functions that the policy file grants to it."
	switch slices.Index(roles, l.Role) {
	case 0, 1:
		effect = "Runs of the policies that need it fail."
	case 2:
		effect = "No scheduled run can begin."
	case 3:
		effect = "Its members can neither run nor pause a policy."
	case 4:
		effect = "Its members can read no view, and cannot verify."
	}
	return diag.Diagnostic{Code: CodeTableRights, Detail: effect,
		Message: fmt.Sprintf(`role "%s" lacks %s on %s "%s"`, l.Role, l.Lacks, l.Kind, l.Name),
		Hint:    fmt.Sprintf("GRANT %s ON %s TO %s;", l.Needed, l.Object, quote.Ident(l.Role))}
}

// deniedObject matches PostgreSQL's message for a missing privilege.
var deniedObject = regexp.MustCompile(`^permission denied for (\w+(?: \w+)*) (\S+|".*")$`)

// DeniedObject reads PostgreSQL's message for a missing privilege. It returns the kind of the
// object, and its name without schema. It returns "" for other messages.
func DeniedObject(message string) (kind, name string) {
	m := deniedObject.FindStringSubmatch(message)
	if m == nil {
		return "", ""
	}
	return m[1], m[2]
}

// grantDenied returns a hint to grant the privilege that PostgreSQL's message is about. For a
// schema, the hint is a statement. For other objects it is a sentence, because the message does not
// contain their schema.
func grantDenied(role, message string) string {
	if kind, name := DeniedObject(message); kind == "schema" {
		return grantUsage(name, role)
	}
	return fmt.Sprintf("Grant the privilege to role %q.", role)
}

// PolicyDenied takes what the server says to the role.
func PolicyDenied(role, policy, denied string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeTableRights, Policy: policy,
		Message: fmt.Sprintf("role %q lacks a privilege that policy %q needs: %s", role, policy, denied),
		Detail:  "Runs of the policy fail.", Hint: grantDenied(role, denied)}
}

// OneRole is about an install with "roles: none".
func OneRole(owner string) diag.Diagnostic {
	return ownerDoesAll(owner, "one role does everything (roles: none)")
}

// OwnerIsAlso takes the other roles of the install for which the policy file names the owner.
func OwnerIsAlso(owner string, others []string) diag.Diagnostic {
	return ownerDoesAll(owner, fmt.Sprintf("role %q is the owner and also the %s", owner,
		strings.Join(others, ", the ")))
}

func ownerDoesAll(owner, message string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNoRoles, Severity: diag.Info, Message: message,
		Detail: fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", owner)}
}

// grantUsage returns a GRANT on the schema of an object that a policy uses.
func grantUsage(schema, worker string) string {
	return fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote.Ident(schema), quote.Ident(worker))
}

// grantExecute returns a GRANT on a function that a policy calls. The function is given as SQL.
func grantExecute(function, worker string) string {
	return fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s TO %s;", function, quote.Ident(worker))
}

// ObjectPrivileges are the privileges on an object of the runtime's schema that differ. Object and
// Owner are as GRANT names them. OfColumns are roles that have privileges on columns.
type ObjectPrivileges struct {
	N                                    int
	Kind, Name, Want, Got, Object, Owner string
	OwnerLacks, OfColumns                []string
}

func OtherPrivileges(schema string, p ObjectPrivileges) diag.Diagnostic {
	hint := "" // _apply_privileges() changes neither privileges on columns nor those of the owner
	for _, role := range p.OfColumns {
		hint += fmt.Sprintf("REVOKE ALL ON %s FROM %s; ", p.Object, role)
	}
	for _, privilege := range p.OwnerLacks {
		hint += fmt.Sprintf("GRANT %s ON %s TO %s; ", privilege, p.Object, p.Owner)
	}
	return diag.Diagnostic{Code: CodePrivileges, Object: p.Name, Want: p.Want, Got: p.Got,
		Message: fmt.Sprintf(`%s "%s" has other privileges`, p.Kind, p.Name),
		Hint:    hint + inRuntime(schema, "SELECT retention._apply_privileges();")}
}

// ClosedFunction is a function that the worker may not call. Function is its name as SQL. Kind and
// Name say which policy or report calls it.
type ClosedFunction struct {
	N                        int
	Function, Schema         string
	LacksUsage, LacksExecute bool
	Kind, Name               string `db:"-"`
}

func LacksExecute(worker string, f ClosedFunction) diag.Diagnostic {
	var missing, grants []string
	if f.LacksUsage {
		missing = append(missing, fmt.Sprintf(`USAGE on schema "%s"`, f.Schema))
		grants = append(grants, grantUsage(f.Schema, worker))
	}
	if f.LacksExecute {
		missing = append(missing, fmt.Sprintf(`EXECUTE on function "%s"`, f.Function))
		grants = append(grants, grantExecute(f.Function, worker))
	}
	return diag.Diagnostic{Code: CodeTableRights, Object: f.Function, Detail: "Its runs fail.",
		Message: fmt.Sprintf(`role "%s" lacks %s, which %s "%s" calls`, worker, strings.Join(missing, " and "), f.Kind,
			f.Name),
		Hint: strings.Join(grants, " ")}
}

// BodyLack is a table that a function of the application uses in batches, and that the worker may
// not use. Trigger is "" if an expression of the policy calls the function. Table is "schema.name",
// and SQL is its name as SQL.
type BodyLack struct {
	Policy, Trigger, OnTable, Function, Event string
	Schema, Table, SQL                        string
	Lacks                                     string // privileges on the table; "" if none
	LacksUsage                                bool
}

func BodyLacks(worker string, b BodyLack) diag.Diagnostic {
	user := "function " + b.Function
	detail := fmt.Sprintf(`Policy "%s" calls it`, b.Policy)
	if b.Trigger != "" {
		user = fmt.Sprintf(`trigger "%s" on table "%s"`, b.Trigger, b.OnTable)
		detail = fmt.Sprintf(`It fires in batches of policy "%s" on %s, and calls %s`, b.Policy, b.Event, b.Function)
	}
	var missing, grants []string
	if b.LacksUsage {
		missing = append(missing, fmt.Sprintf(`USAGE on schema "%s"`, b.Schema))
		grants = append(grants, grantUsage(b.Schema, worker))
	}
	if b.Lacks != "" {
		missing = append(missing, fmt.Sprintf(`%s on table "%s"`, b.Lacks, b.Table))
		grants = append(grants, fmt.Sprintf("GRANT %s ON %s TO %s;", b.Lacks, b.SQL, quote.Ident(worker)))
	}
	return diag.Diagnostic{Code: CodeTableRights, Policy: b.Policy, Object: b.Table,
		Message: fmt.Sprintf(`%s needs %s, which role "%s" lacks`, user, strings.Join(missing, " and "), worker),
		Detail: detail + " with the rights of the role. Runs fail, or refuse the rows. Instead of the hint, the " +
			"owner may make the function SECURITY DEFINER.",
		Hint: strings.Join(grants, " ")}
}

// DeniedPolicy is a policy that the worker cannot evaluate. Denied is the server's message.
// Function needs the privilege; it is "" if unknown. Kind is the kind of the object that the worker
// may not use, and SQL its name as SQL. SQL is "" if the message may mean several objects.
type DeniedPolicy struct{ Policy, Denied, Function, Object, Kind, SQL string }

func EvaluationDenied(worker string, p DeniedPolicy) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeTableRights, Policy: p.Policy, Object: p.Object,
		Message: fmt.Sprintf(`role "%s" lacks a privilege that policy "%s" needs: %s`, worker, p.Policy, p.Denied),
		Detail:  "Runs of the policy fail, or refuse the rows.",
		Hint:    fmt.Sprintf(`Grant the privilege to role "%s".`, worker)}
	if p.Function != "" {
		d.Detail = fmt.Sprintf("Function %s needs it. Runs of the policy fail, or refuse the rows. "+
			"Instead of the hint, the owner may make the function SECURITY DEFINER.", p.Function)
	}
	switch {
	case p.SQL == "":
	case p.Kind == "schema":
		d.Hint = fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", p.SQL, quote.Ident(worker))
	case p.Kind == "function":
		d.Hint = grantExecute(p.SQL, worker)
	default:
		d.Hint = fmt.Sprintf("GRANT SELECT ON %s TO %s;", p.SQL, quote.Ident(worker))
	}
	return d
}

// ForeignTables are the tables of a role that a function cannot detach or drop. Member is the owner
// of the function. Heir is the role that should own them. First is the name of the first one, and
// Named has the first 50 as SQL.
type ForeignTables struct {
	N                   int
	Owner, Member, Heir string
	Tables              int
	First               string
	Named               []string
	Policy, Function    string `db:"-"`
}

func CannotTake(f ForeignTables) diag.Diagnostic {
	statements := lists.Map(f.Named, func(table string) string {
		return fmt.Sprintf("ALTER TABLE %s OWNER TO %s;", table, quote.Ident(f.Heir))
	})
	if more := f.Tables - len(f.Named); more > 0 {
		statements = append(statements, fmt.Sprintf("-- and %d more", more))
	}
	return diag.Diagnostic{Code: CodeTakeRights,
		Message: fmt.Sprintf(`policy "%s" cannot detach or drop tables of role "%s", who owns "%s"`, f.Policy, f.Owner,
			f.First),
		Detail: fmt.Sprintf(`Function "%s" belongs to role "%s", which is no member of it. This is so for %s. `+
			`Give the tables one owner.`, f.Function, f.Member, Number(f.Tables, "table", "tables")),
		Hint: strings.Join(statements, " ")}
}

// Obstacle is what would stop a migration. Roles are not trusted: they may do what Fault says, or
// they own the object. The file of query obstacles describes the faults.
type Obstacle struct{ Policy, Fault, Object, Roles string }

func StopsMigration(o Obstacle) diag.Diagnostic {
	d := diag.Diagnostic{Policy: o.Policy, Object: o.Object}
	switch o.Fault {
	case "triggers":
		d.Message = "roles that are not trusted may create triggers or foreign keys on table " + o.Object
		d.Detail = fmt.Sprintf("Deletes would run the code of: %s.", o.Roles)
		d.Hint = fmt.Sprintf("REVOKE TRIGGER, REFERENCES ON %s FROM %s;", o.Object, o.Roles)
	case "schema":
		d.Message = fmt.Sprintf(`roles that are not trusted may create objects in schema "%s"`, o.Object)
		d.Detail = "Names of the policies are looked up there."
		d.Hint = fmt.Sprintf("REVOKE CREATE ON SCHEMA %s FROM %s;", quote.Ident(o.Object), o.Roles)
	case "owner":
		d.Message = fmt.Sprintf(`%s belongs to role "%s", which is not trusted`, o.Object, o.Roles)
		d.Hint = "Change its owner, or list the role in install.trust."
	default:
		UnknownFault(o.Fault)
	}
	return d
}

// Role is a role of the install, and what it can do in the database. The file of query roles
// describes the first fields.
type Role struct {
	Name                                                          string
	There, CanLogin, Superuser, CanConnect, NoSessions, Inherited bool
	Closed, Cron                                                  bool

	Owner                        string `db:"-"` // the owner of the runtime
	Database                     string `db:"-"`
	Scheduler                    string `db:"-"` // what calls the jobs
	OwnsOnly, IsWorker, IsRunner bool   `db:"-"` // OwnsOnly: the role is the owner, and no other role
	CronMissing                  bool   `db:"-"` // table cron.job should be in the database, and is not
}

// RoleFaults returns a finding for each attribute of a role that is wrong. Another check reports a
// missing table cron.job. Until then the runner need not log in.
func RoleFaults(r Role) (list []diag.Diagnostic) {
	name, owner, database := quote.Ident(r.Name), quote.Ident(r.Owner), quote.Ident(r.Database)
	add := func(wrong bool, fault, hint string) {
		if wrong {
			list = append(list, diag.Diagnostic{Code: CodeRole, Object: r.Name,
				Message: fmt.Sprintf(`role "%s" %s`, r.Name, fault), Hint: hint})
		}
	}
	add(!r.There, "does not exist", "pgretain bootstrap | psql -X -v ON_ERROR_STOP=1")
	add(r.There && r.IsWorker && !r.Inherited, fmt.Sprintf(`does not pass its privileges on to "%s"`, r.Owner),
		fmt.Sprintf("GRANT %s TO %s;", name, owner))
	add((r.OwnsOnly || r.IsWorker) && r.CanLogin, "can log in", fmt.Sprintf("ALTER ROLE %s NOLOGIN;", name))
	add(r.There && r.IsRunner && !r.CanLogin && !r.CronMissing,
		fmt.Sprintf("cannot log in, so that %s cannot run its jobs", r.Scheduler),
		fmt.Sprintf("ALTER ROLE %s LOGIN;", name))
	add(r.There && r.IsRunner && !r.CanConnect, fmt.Sprintf(`has no CONNECT on database "%s"`, r.Database),
		fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s;", database, name))
	add(r.IsRunner && !r.Superuser && r.NoSessions, "may have no session: its CONNECTION LIMIT is 0",
		fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT -1;", name))
	add(r.There && r.IsRunner && !r.Superuser && r.Closed,
		fmt.Sprintf(`cannot connect: the CONNECTION LIMIT of database "%s" is 0`, r.Database),
		fmt.Sprintf("ALTER DATABASE %s CONNECTION LIMIT -1;", database))
	add(r.Superuser, "is a superuser", fmt.Sprintf("ALTER ROLE %s NOSUPERUSER;", name))
	return list
}

// RoleExcess is an attribute or a membership of a role that pgretain does not need. One of
// Attribute and MemberOf is "". Changes reports whether the role can change rows with it that only
// runs should change.
type RoleExcess struct {
	Role, Attribute, MemberOf string
	Changes                   bool
}

func Excess(e RoleExcess) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeExcess, Severity: diag.Info, Object: e.Role,
		Message: fmt.Sprintf(`role "%s" has %s`, e.Role, e.Attribute), Detail: "Nothing of pgretain needs it.",
		Hint: fmt.Sprintf("ALTER ROLE %s NO%s;", quote.Ident(e.Role), e.Attribute)}
	if e.MemberOf != "" {
		d.Message = fmt.Sprintf(`role "%s" is a member of "%s"`, e.Role, e.MemberOf)
		d.Hint = fmt.Sprintf("REVOKE %s FROM %s;", quote.Ident(e.MemberOf), quote.Ident(e.Role))
	}
	if e.Changes {
		d.Severity = diag.Drift
		d.Detail += " With it the role can change rows by hand, past holds, guards and run log."
	}
	return d
}

func CanBecomeOwner(owner string, roles []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExcess, Severity: diag.Info, Object: owner,
		Message: fmt.Sprintf(`"%s" can become "%s"`, strings.Join(roles, `", "`), owner),
		Detail: "They can delete by hand and change the run log. They neither own a table of a policy nor are " +
			"members of the runner, as a role that migrates is."}
}

// RowChanger is a role that may change rows of policies by hand. Role is "" for PUBLIC. Named has
// the first of the tables.
type RowChanger struct {
	Role   string
	Owns   bool
	Rights string
	Tables int
	Named  []string
}

// ChangesByHand is information for PUBLIC and for the owner of the tables, because the application
// or the install chose this.
func ChangesByHand(c RowChanger) diag.Diagnostic {
	tables := listed(c.Named)
	if more := c.Tables - len(c.Named); more > 0 {
		tables = fmt.Sprintf("%s, %d more", tables, more)
	}
	d := diag.Diagnostic{Code: CodeHandRights, Object: c.Role,
		Message: fmt.Sprintf(`role "%s" has %s on %s`, c.Role, c.Rights, tables),
		Detail:  "It can delete or change rows by hand, past holds, guards, breaker and run log.",
		Hint: fmt.Sprintf(`Revoke %s on these tables from "%s", or end the membership that gives it.`, c.Rights,
			c.Role)}
	switch {
	case c.Role == "":
		d.Severity, d.Object, d.Message = diag.Info, "PUBLIC", fmt.Sprintf("PUBLIC has %s on %s", c.Rights, tables)
		d.Detail = "Everybody can delete or change rows by hand, past holds, guards, breaker and run log."
		d.Hint = fmt.Sprintf("Revoke %s on these tables from PUBLIC, unless the application needs it.", c.Rights)
	case c.Owns:
		d.Severity, d.Message, d.Hint = diag.Info, fmt.Sprintf(`role "%s" owns %s`, c.Role, tables), ""
	}
	return d
}

func PublicPrivilege(schema, privilege string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodePublic, Object: schema,
		Message: fmt.Sprintf(`PUBLIC has %s on schema "%s"`, privilege, schema),
		Hint:    fmt.Sprintf("REVOKE %s ON SCHEMA %s FROM PUBLIC;", privilege, quote.Ident(schema))}
}
