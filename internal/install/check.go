package install

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pgretain/policy"
)

// oldest is the oldest supported server, as server_version_num has it.
const oldest = 150000

// server is what a migration needs to know before it starts.
type server struct {
	version        int
	standby        bool
	database, user string
	createSchema   bool
	cron           bool // the migrations are those of the jobs alone
}

// inspect reads the server's facts and refuses what no migration can work with.
func (s *session) inspect(ctx context.Context, o Options) (server, error) {
	v := server{cron: o.Cron}
	err := s.db.QueryRowContext(ctx, query("server")).
		Scan(&v.version, &v.standby, &v.database, &v.user, &v.createSchema)
	if err != nil {
		return v, fmt.Errorf("reading the server's version: %w", err)
	}
	if v.version < oldest {
		return v, &CheckError{
			Message: fmt.Sprintf("the server is PostgreSQL %d", v.version/10000),
			Hint:    fmt.Sprintf("pgretain needs PostgreSQL %d or later.", oldest/10000),
		}
	}
	return v, nil
}

// check refuses, with everything that is wrong at once, what would make a migration stop half
// way. It reports whether the schema must be created.
func (s *session) check(ctx context.Context, v server, o Options) (createSchema bool, err error) {
	install := o.Install
	if v.standby {
		return false, &CheckError{
			Message: "the server is a standby", Detail: "It is in recovery and accepts no writes.",
			Hint: "Connect to the primary; target_session_attrs=read-write finds it.",
		}
	}
	if err := s.checkRoles(ctx, v, install); err != nil {
		return false, err
	}
	createSchema, schemaErr := s.checkSchema(ctx, v, o)
	return createSchema, errors.Join(schemaErr, s.checkCron(ctx, v, o))
}

// checkRoles: all five exist, the migrating role may become owner and runner, the owner the worker, and pg_cron can log in
// as the runner.
func (s *session) checkRoles(ctx context.Context, v server, install policy.Install) error {
	roles := install.Roles
	if roles.None {
		return nil
	}
	var missing []string
	var errs []error
	for _, role := range []string{roles.Owner, roles.Worker, roles.Runner, roles.Operator, roles.Viewer} {
		var member, usage, login, connect, ownersMember bool
		err := s.db.QueryRowContext(ctx, query("role"), role, membership(v), roles.Owner).
			Scan(&member, &usage, &login, &connect, &ownersMember)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			missing = append(missing, strconv.Quote(role))
		case err != nil:
			return fmt.Errorf("reading role %q: %w", role, err)
		case role == roles.Worker && !ownersMember:
			errs = append(errs, &CheckError{
				Message: fmt.Sprintf("role %q is not a member of %q, with all of its privileges", roles.Owner, role),
				Detail:  "The owner makes functions for the worker, and hands them over.", Hint: bootstrapHint(v),
			})
		case role != roles.Owner && role != roles.Runner:
		case !member:
			errs = append(errs, notAllowed(v, role, "cannot SET ROLE"))
		case !usage && role == roles.Owner:
			errs = append(errs, notAllowed(v, role, "does not inherit the privileges of"))
		}
		if err == nil && role == roles.Runner && install.Scheduler == "pg_cron" {
			errs = append(errs, cannotRun(v, role, login, connect)...)
		}
	}
	if len(missing) > 0 {
		errs = append([]error{&CheckError{
			Message: "roles do not exist: " + strings.Join(missing, ", "),
			Hint:    bootstrapHint(v),
		}}, errs...)
	}
	return errors.Join(errs...)
}

// cannotRun says what pg_cron needs to start a job as role.
func cannotRun(v server, role string, login, connect bool) (errs []error) {
	refuse := func(what string) {
		errs = append(errs, &CheckError{
			Message: fmt.Sprintf("role %q %s", role, what), Detail: "pg_cron logs in as the runner.", Hint: bootstrapHint(v),
		})
	}
	if !login {
		refuse("cannot log in")
	}
	if !connect {
		refuse(fmt.Sprintf("has no CONNECT on database %q", v.database))
	}
	return errs
}

// membership is the privilege that allows SET ROLE.
// https://www.postgresql.org/docs/16/release-16.html#RELEASE-16-PRIVILEGES
func membership(v server) string {
	if v.version >= 160000 {
		return "SET"
	}
	return "MEMBER"
}

func notAllowed(v server, role, what string) error {
	return &CheckError{
		Message: fmt.Sprintf("role %q %s %q", v.user, what, role),
		Detail:  "Objects are created as the owner and jobs are scheduled as the runner.",
		Hint:    bootstrapHint(v),
	}
}

func bootstrapHint(v server) string {
	verb := "bootstrap"
	if v.cron {
		verb = "bootstrap --cron"
	}
	return fmt.Sprintf("Have a DBA run in database %q what \"pgretain %s --migrator %s\" prints.", v.database, verb, v.user)
}

// checkSchema: it exists and its creator may use it, or it can be created.
func (s *session) checkSchema(ctx context.Context, v server, o Options) (create bool, err error) {
	creator, schema := v.user, o.schema()
	if !o.Install.Roles.None {
		creator = o.Install.Roles.Owner
	}
	var owner string
	var may bool
	err = s.db.QueryRowContext(ctx, query("schema"), schema, creator).Scan(&owner, &may)
	switch {
	case errors.Is(err, sql.ErrNoRows) && v.createSchema:
		return true, nil
	case errors.Is(err, sql.ErrNoRows):
		return false, &CheckError{
			Message: fmt.Sprintf("role %q may not create schema %q in database %q", v.user, schema, v.database),
			Hint:    bootstrapHint(v),
		}
	case err != nil:
		return false, fmt.Errorf("reading schema %q: %w", schema, err)
	case !may:
		return false, &CheckError{
			Message: fmt.Sprintf("role %q may not create objects in schema %q", creator, schema),
			Detail:  fmt.Sprintf("The schema exists and belongs to %q.", owner),
			Hint:    "Name another schema under install.schema, or make that role its owner.",
		}
	}
	return false, nil
}
