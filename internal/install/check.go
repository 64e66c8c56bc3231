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
}

// inspect reads the server's facts and refuses what no migration can work with.
func (s *session) inspect(ctx context.Context) (server, error) {
	var v server
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
func (s *session) check(ctx context.Context, v server, install policy.Install) (createSchema bool, err error) {
	if v.standby {
		return false, &CheckError{
			Message: "the server is a standby", Detail: "It is in recovery and accepts no writes.",
			Hint: "Connect to the primary; target_session_attrs=read-write finds it.",
		}
	}
	if err := s.checkRoles(ctx, v, install); err != nil {
		return false, err
	}
	createSchema, schemaErr := s.checkSchema(ctx, v, install)
	return createSchema, errors.Join(schemaErr, s.checkCron(ctx, v, install))
}

// checkRoles: all four exist, the migrating role may become owner and runner, and pg_cron can log in
// as the runner.
func (s *session) checkRoles(ctx context.Context, v server, install policy.Install) error {
	roles := install.Roles
	if roles.None {
		return nil
	}
	var missing []string
	var errs []error
	for _, role := range []string{roles.Owner, roles.Runner, roles.Operator, roles.Viewer} {
		var member, usage, login, connect bool
		err := s.db.QueryRowContext(ctx, query("role"), role, membership(v)).Scan(&member, &usage, &login, &connect)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			missing = append(missing, strconv.Quote(role))
		case err != nil:
			return fmt.Errorf("reading role %q: %w", role, err)
		case role != roles.Owner && role != roles.Runner:
		case !member:
			errs = append(errs, notAllowed(v, role, "cannot SET ROLE"))
		case !usage && role == roles.Owner:
			errs = append(errs, notAllowed(v, role, "does not inherit the privileges of"))
		}
		if err == nil && role == roles.Runner && usesCron(install, v.database) {
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
	return fmt.Sprintf("Have a DBA run in database %q what \"pgretain bootstrap --migrator %s\" prints.", v.database, v.user)
}

// checkSchema: it exists and its creator may use it, or it can be created.
func (s *session) checkSchema(ctx context.Context, v server, install policy.Install) (create bool, err error) {
	creator := v.user
	if !install.Roles.None {
		creator = install.Roles.Owner
	}
	var owner string
	var may bool
	err = s.db.QueryRowContext(ctx, query("schema"), install.Schema, creator).Scan(&owner, &may)
	switch {
	case errors.Is(err, sql.ErrNoRows) && v.createSchema:
		return true, nil
	case errors.Is(err, sql.ErrNoRows):
		return false, &CheckError{
			Message: fmt.Sprintf("role %q may not create schema %q in database %q", v.user, install.Schema, v.database),
			Hint:    bootstrapHint(v),
		}
	case err != nil:
		return false, fmt.Errorf("reading schema %q: %w", install.Schema, err)
	case !may:
		return false, &CheckError{
			Message: fmt.Sprintf("role %q may not create objects in schema %q", creator, install.Schema),
			Detail:  fmt.Sprintf("The schema exists and belongs to %q.", owner),
			Hint:    "Name another schema under install.schema, or make that role its owner.",
		}
	}
	return false, nil
}

// checkCron: the extension is here and the runner may call it.
func (s *session) checkCron(ctx context.Context, v server, install policy.Install) error {
	if !usesCron(install, v.database) {
		return nil
	}
	runner := v.user
	if !install.Roles.None {
		runner = install.Roles.Runner
	}
	var exists, usage bool
	var home string
	err := s.db.QueryRowContext(ctx, query("cron"), runner).Scan(&exists, &home, &usage)
	switch {
	case err != nil:
		return fmt.Errorf("reading pg_cron: %w", err)
	case !exists:
		return noCron(v, home)
	case !usage:
		return &CheckError{
			Message: fmt.Sprintf("role %q has no USAGE on schema cron", runner),
			Hint:    bootstrapHint(v),
		}
	}
	return nil
}

// noCron tells apart a server without pg_cron, and pg_cron in another database.
func noCron(v server, home string) error {
	check := &CheckError{Message: fmt.Sprintf("extension pg_cron is not installed in database %q", v.database)}
	switch home {
	case "":
		check.Detail = "The server does not load pg_cron, or does not show its settings to this role."
		check.Hint = "Add pg_cron to shared_preload_libraries, set cron.database_name, restart and run what " +
			"\"pgretain bootstrap\" prints; or set install.scheduler to none and run jobs by other means."
	case v.database:
		check.Detail = "The server loads pg_cron for this database."
		check.Hint = bootstrapHint(v)
	default:
		check.Detail = fmt.Sprintf("The server loads pg_cron for database %q.", home)
		check.Hint = "Set install.cron_database to that database, or install.scheduler to none."
	}
	return check
}
