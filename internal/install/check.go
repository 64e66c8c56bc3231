package install

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/policy"
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

// check refuses, with everything that is wrong at once, what would make a migration stop before its end: roles that are
// not there or that the migrating role may not become, a schema that its creator may not use, jobs that the runner
// cannot schedule.
func (s *session) check(ctx context.Context) error {
	if s.server.standby {
		return Standby()
	}
	roles, schema := rolesOf(s.Install, s.server.user), strconv.Quote(s.schema())
	verb := "bootstrap"
	if s.Cron {
		verb = "bootstrap --cron"
	}
	hint := fmt.Sprintf("Have a DBA run in database %q what \"pgretain %s --migrator %s\" prints.",
		s.server.database, verb, s.server.user)
	if !roles.None {
		if err := s.refusals(ctx, "reading the roles", "roles", roles.All(), roles.Owner, roles.Worker, roles.Runner,
			s.Install.Scheduler == "pg_cron", hint); err != nil {
			return err
		}
	}
	return errors.Join(
		s.refusals(ctx, "reading schema "+schema, "schema", s.schema(), roles.Owner, hint),
		s.checkCron(ctx, roles.Runner, hint))
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
	err := s.conn.QueryRow(ctx, s.statement("runtime_version")).Scan(&found)
	if err != nil {
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

// checkCron: the extension is here and the runner may call it; with jobs in another database, this is the
// database that they call.
func (s *session) checkCron(ctx context.Context, runner, hint string) error {
	in := s.Install
	want, key := in.Database, "database"
	if s.Cron {
		want, key = in.CronDatabase, "cron_database"
	}
	if (s.Cron || in.CronElsewhere()) && want != "" && s.server.database != want {
		return &CheckError{
			Message: fmt.Sprintf("install.%s is %q, the connection is to database %q", key, want, s.server.database),
			Detail:  "Jobs are scheduled in one database and run in the other, by name.",
			Hint:    "Connect to that database, or change the policy file and run \"pgretain generate\".",
		}
	}
	if !s.Cron && (in.CronElsewhere() || in.Scheduler != "pg_cron") {
		return nil
	}
	return s.refusals(ctx, "reading pg_cron", "cron", runner, in.Database, s.Cron, in.CronElsewhere(), hint)
}

// scheduled is a statement of a generated file that schedules a job: it begins a line, and the second literal is when.
var scheduled = regexp.MustCompile(`(?m)^SELECT cron\.schedule(?:_in_database)?\((?:E?'(?:[^']|'')*'|replace\([^)]*\)\)), '([^']*)'`)

// checkSchedules schedules each for a moment, as the runner, in a transaction that is rolled back:
// what a pg_cron takes it knows best itself. A refusal of another kind is left to the migration.
// A message names the files that have to go: what is generated after a pending one does not keep it from being applied.
func (s *session) checkSchedules(ctx context.Context, pending []Migration) error {
	schedules, files := slices.Clone(s.Schedules), map[string][]string{}
	paths := lists.Map(pending, func(m Migration) string { return path.Join(s.Path, m.Name) })
	for i, m := range pending {
		for _, at := range scheduled.FindAllStringSubmatchIndex(strings.TrimSuffix(m.content, m.down()), -1) {
			text := m.content[at[2]:at[3]]
			schedules = append(schedules, policy.Schedule{Text: text, Position: place(paths[i], m.content, at[0], 0)})
			if files[text] == nil {
				files[text] = paths[i:]
			}
		}
	}
	var errs []error
	tried := map[string]bool{}
	for _, schedule := range schedules {
		if tried[schedule.Text] {
			continue
		}
		tried[schedule.Text] = true
		hint := "Update pg_cron: it has seconds from 1.5 on, and $ for the last day of the month from 1.6 on. " +
			"Or write five plain fields"
		if remove := files[schedule.Text]; remove != nil {
			hint += ", remove " + strings.Join(remove, ", ") + ", which must not have been applied anywhere,"
		}
		runner := rolesOf(s.Install, s.server.user).Runner
		_, err := s.conn.Exec(ctx, render("try_schedule", map[string]any{"Role": runner, "Schedule": schedule.Text}))
		server, refused := errors.AsType[*pgconn.PgError](err)
		switch {
		case refused && server.Code == "22023":
			errs = append(errs, &StatementError{diagnostic{
				Position: schedule.Position, Severity: diag.Error, Code: server.Code,
				Message: fmt.Sprintf("the pg_cron of database %q does not take the schedule %q", s.server.database, schedule.Text),
				Detail:  "It says: " + server.Message + ".",
				Hint:    hint + ` and run "pgretain generate".`,
			}, server})
		case err != nil && !refused:
			return fmt.Errorf("trying schedule %q: %w", schedule.Text, err)
		}
	}
	return errors.Join(errs...)
}

// refusals are what a query of sql finds wrong, all at once; doing says what for.
func (s *session) refusals(ctx context.Context, doing, name string, args ...any) error {
	rows, _ := s.conn.Query(ctx, query(name), args...) // rows give the same error
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (error, error) {
		var e CheckError
		err := row.Scan(&e.Message, &e.Detail, &e.Hint)
		return &e, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return errors.Join(found...)
}
