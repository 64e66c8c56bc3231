package install

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	sqlfiles "pgretain/sql"
)

// oldest is the oldest supported server, as server_version_num has it.
const oldest = 150000

// server is what a migration needs to know before it starts.
type server struct {
	version         int
	standby         bool
	database, user  string
	mayCreateSchema bool
	schemaMissing   bool
	versions        bool // there is a version table
	states          bool // which has our column
	runtime         bool // the runtime is there
	registry        bool // and the role may read its registry
}

// recorded is false where the runtime is there, and no version table of "pgretain migrate".
func (v server) recorded() bool { return v.versions || !v.runtime }

// inspect reads the server's facts and refuses what no migration can work with.
func (s *session) inspect(ctx context.Context) error {
	v := &s.server
	err := s.row(ctx, "looking at the server", "server", []any{s.schema()}, &v.version, &v.standby, &v.database, &v.user,
		&v.mayCreateSchema, &v.schemaMissing, &v.versions, &v.states, &v.runtime, &v.registry)
	if err == nil && v.version < oldest {
		err = &CheckError{
			Message: fmt.Sprintf("the server is PostgreSQL %d", v.version/10000),
			Hint:    fmt.Sprintf("pgretain needs PostgreSQL %d or later.", oldest/10000),
		}
	}
	return err
}

// Standby is how a server refuses that accepts no writes.
func Standby() error {
	return &CheckError{
		Message: "the server is a standby", Detail: "It is in recovery and accepts no writes.",
		Hint: "Connect to the primary; target_session_attrs=read-write finds it.",
	}
}

// check refuses, with everything that is wrong at once, what would make a migration stop before its end.
func (s *session) check(ctx context.Context) error {
	if s.server.standby {
		return Standby()
	}
	if err := s.checkRoles(ctx); err != nil {
		return err
	}
	return errors.Join(s.checkSchema(ctx), s.checkCron(ctx))
}

// CheckVersion refuses a runtime that is newer than this program, or whose version it cannot read:
// what its functions expect and what its tables hold is not known here. An older one is no error.
func CheckVersion(found, database string) error {
	newer, err := sqlfiles.Compare(found)
	if err == nil && newer <= 0 {
		return nil
	}
	return &CheckError{
		Message: fmt.Sprintf("database %q has version %s of the runtime, this pgretain knows version %s", database, found, sqlfiles.Version),
		Hint:    "Use the pgretain version that upgraded the database, or a later one.",
	}
}

// checkVersion is CheckVersion for the runtime of this install, where there is one that the role may see.
func (s *session) checkVersion(ctx context.Context) error {
	if !s.server.registry {
		return nil
	}
	var found string
	if err := s.conn.QueryRow(ctx, s.statement("runtime_version")).Scan(&found); err != nil {
		return fmt.Errorf("reading the runtime's version: %w", err)
	}
	if found == "" {
		return nil
	}
	return CheckVersion(found, s.server.database)
}

// checkRecorded refuses to begin anew where another tool has been at work.
func (s *session) checkRecorded() error {
	if s.server.recorded() {
		return nil
	}
	return &CheckError{
		Message: "the runtime in schema " + strconv.Quote(s.schema()) + " was not installed by \"pgretain migrate\"",
		Detail:  "There is no version table " + s.schema() + ".goose_db_version, so that nobody can tell here what is applied.",
		Hint:    "Go on with the tool that installed it.",
	}
}

// checkRoles: all five exist, the migrating role may become owner and runner, the owner the worker, and pg_cron can log in
// as the runner.
func (s *session) checkRoles(ctx context.Context) error {
	roles := s.Install.Roles
	if roles.None {
		return nil
	}
	return s.refusals(ctx, "reading the roles", "roles", roles.All(), roles.Owner, roles.Worker, roles.Runner,
		s.Install.Scheduler == "pg_cron", s.bootstrapHint())
}

func (s *session) bootstrapHint() string {
	verb := "bootstrap"
	if s.Cron {
		verb = "bootstrap --cron"
	}
	return fmt.Sprintf("Have a DBA run in database %q what \"pgretain %s --migrator %s\" prints.", s.server.database, verb, s.server.user)
}

// checkSchema: it exists and its creator may use it, or it can be created.
func (s *session) checkSchema(ctx context.Context) error {
	creator := s.server.user
	if !s.Install.Roles.None {
		creator = s.Install.Roles.Owner
	}
	schema := s.schema()
	return s.refusals(ctx, "reading schema "+strconv.Quote(schema), "schema", schema, creator, s.bootstrapHint())
}

// refusals are what a query of sql finds wrong, all at once; doing says what for.
func (s *session) refusals(ctx context.Context, doing, name string, args ...any) error {
	rows, _ := s.conn.Query(ctx, query(name), args...) // rows give the same error
	var found []error
	var refused CheckError
	_, err := pgx.ForEachRow(rows, []any{&refused.Message, &refused.Detail, &refused.Hint}, func() error {
		found = append(found, &CheckError{Message: refused.Message, Detail: refused.Detail, Hint: refused.Hint})
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return errors.Join(found...)
}
