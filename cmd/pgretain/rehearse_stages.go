package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
	"pgretain/verifier"
)

// up applies all migrations, those of the jobs last.
func (s *stage) up(ctx context.Context) (string, error) {
	return s.migrate(ctx, install.Up, false, true)
}

// down undoes everything, the jobs first, and checks what is left.
func (s *stage) down(ctx context.Context) (string, error) {
	what, err := s.migrate(ctx, install.Down, true, false)
	if err == nil {
		err = s.leftovers(ctx)
	}
	return what, err
}

// migrate migrates both directories up or down, as a role that is no superuser. The parameter
// "order" lists the directories; true stands for the directory of the jobs.
func (s *stage) migrate(
	ctx context.Context,
	migrate func(context.Context, string, fs.FS, install.Options) ([]install.Migration, error),
	order ...bool,
) (string, error) {
	total := 0
	for _, jobs := range order {
		database, dir := s.database, s.migrations
		if jobs {
			database, dir = s.server.Database(), s.jobs
		}
		if dir == nil {
			continue
		}
		options := install.Options{Install: s.file.Install, Path: "migrations", Cron: jobs, All: true,
			Schedules: s.file.Schedules(jobs)}
		done, err := migrate(ctx, s.server.URL(database, s.migrator), dir, options)
		if err != nil {
			return "", err
		}
		total += len(done)
	}
	return plural(total, "migration"), nil
}

// leftovers compares the database with its state before the first migration.
func (s *stage) leftovers(ctx context.Context) error {
	in := s.file.Install
	left := func(d diag.Diagnostic) {
		d.Position = in.Position
		s.found.Add(d)
	}
	named := func(in *session, query string, args ...any) error {
		list, err := in.names(ctx, query, args...)
		for _, name := range list {
			if !slices.Contains(s.brought, name) {
				left(messages.ObjectLeft(name))
			}
		}
		return err
	}
	other := func(o generator.Object) bool { return o.Kind != generator.KindArchive }
	archives := slices.DeleteFunc(slices.Clone(s.wanted), other)
	err := named(s.session, "rehearsal/leftovers", in.Schema,
		lists.Map(archives, func(o generator.Object) string { return o.Name }))
	if err != nil {
		return err
	}
	after, err := s.inspect(ctx, s.conn, false)
	if err != nil {
		return err
	}
	for _, was := range s.before.Tables {
		name := was.String()
		if is := after.Table(name); is == nil || !reflect.DeepEqual(s.withoutOurs(was), s.withoutOurs(is)) {
			left(messages.TableLeftChanged(name))
		}
	}
	if in.Scheduler != "pg_cron" {
		return nil
	}
	prefix := in.Schema + "."
	if in.CronElsewhere() {
		prefix = in.CronJobPrefix()
	}
	return named(s.elsewhere, "rehearsal/jobs", prefix)
}

// withoutOurs returns the table without the columns that migrations add. The schema file may come
// from a database that has them.
func (s *stage) withoutOurs(t *catalog.Table) catalog.Table {
	own := *t
	own.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(column catalog.Column) bool {
		return slices.ContainsFunc(s.wanted, func(o generator.Object) bool {
			return o.Kind == generator.KindColumn && o.Name == t.String()+"."+column.Name
		})
	})
	return own
}

// checkRoutines lets plpgsql_check check every statement of every routine, even if no run executes
// the statement.
func (s *stage) checkRoutines(ctx context.Context) (string, error) {
	schema, n := s.file.Install.Schema, 0
	faults, err := rows[messages.RoutineFault](ctx, s.session, "rehearsal/routines", schema)
	for _, f := range faults {
		d := messages.RoutineFails(f)
		d.Position = s.file.Install.Position
		for _, o := range s.wanted {
			if name, _, _ := strings.Cut(o.Name, "("); o.Policy != "" && name == schema+"."+f.Name {
				d.Position = o.Position
			}
		}
		s.found.Add(d)
	}
	if err == nil {
		err = s.row(ctx, "rehearsal/routine_count", schema).Scan(&n)
	}
	return plural(n, "routine") + " by plpgsql_check", err
}

// runPolicies runs every policy and report as its job does. The runs use the rows of the schema
// file, which may have none.
func (s *stage) runPolicies(ctx context.Context) (string, error) {
	at := append(lists.Map(s.file.Policies, func(p *policy.Policy) diag.Position { return p.Position }),
		lists.Map(s.file.Reports, func(r *policy.Report) diag.Position { return r.Position })...)
	runner := cmp.Or(s.file.Install.Roles.Runner, s.migrator)
	err := s.server.With(ctx, s.database, runner, func(conn *pgx.Conn) error {
		for i, name := range s.file.Runnable() {
			if err := s.run(ctx, conn, name, at[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return plural(len(s.file.Policies), "policy") + ", " + plural(len(s.file.Reports), "report"), err
}

// longest limits the wait for a run that pg_cron started, and for each query of the verifier.
const longest = 10 * time.Minute

func (s *stage) run(ctx context.Context, conn *pgx.Conn, name string, at diag.Position) error {
	var state, message string
	for start := time.Now(); state == "" || state == "busy" && time.Since(start) < longest; {
		if state == "busy" {
			time.Sleep(50 * time.Millisecond)
		}
		_, err := conn.Exec(ctx, s.statement("rehearsal/run"), name)
		server, refused := errors.AsType[*pgconn.PgError](err)
		if err != nil && !refused {
			return err
		}
		err = conn.QueryRow(ctx, s.statement("rehearsal/last_run"), name).Scan(&state, &message)
		switch {
		case errors.Is(err, pgx.ErrNoRows) && refused: // the run did not start
			state, message = "failed", fmt.Sprintf("%s [%s]", server.Message, server.Code)
		case errors.Is(err, pgx.ErrNoRows): // the schema file has no instance
			return nil
		case err != nil:
			return err
		}
	}
	if state == "done" || state == "more" {
		return nil
	}
	d := messages.RunFails(name, state, message)
	d.Position = at
	if state == "tripped" { // the rows in the schema file cause this
		d.Severity = diag.Warning
	}
	s.found.Add(d)
	return nil
}

// verify runs the verifier as a superuser with a long timeout, so that no check is unknown.
func (s *stage) verify(ctx context.Context) (string, error) {
	options := verifier.Options{Counts: true, Timeout: longest}
	if s.file.Install.CronElsewhere() {
		options.Cron = s.elsewhere.conn
	}
	report, err := verifier.Verify(ctx, s.conn, s.file, s.wanted, options)
	if err != nil {
		return "", err
	}
	s.report = report
	return string(report.Verdict()), nil
}
