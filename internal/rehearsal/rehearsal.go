// Package rehearsal installs a policy file in a throw-away database and proves there what no file
// alone can prove: that the migrations go up, down without a trace and up again, that PostgreSQL finds
// no fault in any routine, that every policy runs, and that the verifier finds nothing afterwards.
package rehearsal

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/verifier"
)

// Script is what is to be rehearsed.
type Script struct {
	File *policy.File
	// Roles are those that the schema and the policy file take for granted; all of them are made here.
	Roles []string
	// Cron: the schema has extension pg_cron.
	Cron bool
	// Load makes the application's schema, as a superuser.
	Load func(context.Context, *pgx.Conn) error
	// Inspect reads the tables that the policy file names.
	Inspect func(context.Context, *pgx.Conn) (*catalog.Snapshot, error)
	// Compile is called with what Inspect found after Load.
	Compile func(context.Context, *pgx.Conn, *catalog.Snapshot) (Parts, error)
	// Did, when given, is called after each act.
	Did func(act, what string, took time.Duration)
}

// Parts are what a policy file means for the tables at hand. Jobs are migrations for the database where
// schema cron lives, nil where that is the same one.
type Parts struct {
	Wanted     []generator.Object
	Migrations fs.FS
	Jobs       fs.FS
}

// The roles of a rehearsal. The schema is loaded as a superuser, because extensions need one; its
// objects then go to one that migrates and is none, as it is in production.
const (
	superuser = ""
	loader    = "rehearsal_loader"
)

// stage is the throw-away server while a rehearsal is under way.
type stage struct {
	Script
	Parts
	server   *sandbox.Server
	database string // of the tables
	migrator string
	before   *catalog.Snapshot // the tables, with nothing of ours
	brought  []string          // by the schema file: what else it has that looks like ours
	found    diag.List
	report   *verifier.Report
}

// Run rehearses on a server of its own, which is gone afterwards. The list has what was found,
// at the place in the policy file that it is about, or in a migration that PostgreSQL refuses; the report is the verifier's,
// nil where it did not come so far. An error, beside what was found until then, means that the rehearsal could not take place: a
// *sandbox.MissingError where something is not installed, otherwise that of Load or Compile, or of package install.
func Run(ctx context.Context, script Script) (diag.List, *verifier.Report, error) {
	in := script.File.Install
	server, err := sandbox.Start(ctx, sandbox.Options{Cron: script.Cron || in.Scheduler == "pg_cron", Database: cmp.Or(in.CronDatabase, in.Database)})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	s := &stage{Script: script, server: server, database: cmp.Or(in.In("rehearsal").Database, server.Database())}
	if err := s.prepare(ctx); err != nil {
		return nil, nil, err
	}
	for _, act := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{"load", s.load}, {"up", s.up}, {"check", s.checkRoutines}, {"down", s.down}, {"up again", s.up}, {"run", s.runPolicies}, {"verify", s.verify},
	} {
		start := time.Now()
		what, err := act.do(ctx)
		if refused, ok := errors.AsType[*install.StatementError](err); ok && act.name != "load" {
			s.found.Add(refused.Diagnostic())
			return s.found.Unique(), nil, nil
		}
		if err != nil {
			return s.found.Unique(), s.report, err
		}
		if s.Did != nil {
			s.Did(act.name, what, time.Since(start))
		}
	}
	return s.found.Unique(), s.report, nil
}

// prepare makes the database, roles, and plpgsql_check.
func (s *stage) prepare(ctx context.Context) error {
	if s.database != s.server.Database() {
		if err := s.server.CreateDatabase(ctx, s.database); err != nil {
			return err
		}
	}
	return s.server.With(ctx, s.database, superuser, func(conn *pgx.Conn) error {
		if err := send(ctx, conn, s.text("roles")); err != nil {
			return err
		}
		if err := send(ctx, conn, s.text("plpgsql_check")); err != nil {
			return missing(err)
		}
		return CreateRoles(ctx, conn, s.Roles)
	})
}

// CreateRoles creates those of the roles that do not exist.
func CreateRoles(ctx context.Context, conn *pgx.Conn, names []string) error {
	var create string
	if err := conn.QueryRow(ctx, quote.InSchema(files, "sql/missing_roles.sql", ""), names).Scan(&create); err != nil {
		return err
	}
	return send(ctx, conn, create)
}

// missing says how to get plpgsql_check where the server has it not.
func missing(err error) error {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok && (server.Code == "0A000" || server.Code == "58P01") { // feature_not_supported, undefined_file
		return &sandbox.MissingError{
			What: "no extension plpgsql_check for the PostgreSQL of the sandbox",
			Hint: "On Debian and Ubuntu run .ci/setup, or install postgresql-<version>-plpgsql-check for the version of this server.",
		}
	}
	return err
}

// load makes the application's schema, hands it over, compiles the policy for it, and does what a DBA does once.
func (s *stage) load(ctx context.Context) (string, error) {
	in := s.File.Install.In(s.database)
	load := func(conn *pgx.Conn) error { return s.Load(ctx, conn) }
	if err := s.server.With(ctx, s.database, loader, load); err != nil {
		return "", err
	}
	err := s.server.With(ctx, s.database, superuser, func(conn *pgx.Conn) (err error) {
		tables := lists.Map(s.File.Policies, func(p *policy.Policy) string { return p.Table.String() })
		if err = conn.QueryRow(ctx, s.text("migrator"), tables).Scan(&s.migrator); err != nil {
			return err
		}
		if err = send(ctx, conn, s.text("hand_over")); err != nil {
			return err
		}
		if s.brought, err = column(ctx, conn, s.text("leftovers"), in.Schema, []string{}); err != nil {
			return err
		}
		if s.before, err = s.Inspect(ctx, conn); err != nil {
			return err
		}
		if s.Parts, err = s.Compile(ctx, conn, s.before); err != nil {
			return err
		}
		s.File.Install, s.Wanted = in, generator.JobsIn(s.Wanted, s.database)
		script, err := install.Bootstrap(in, s.database, s.migrator)
		if err == nil {
			err = send(ctx, conn, script)
		}
		return err
	})
	if err == nil && in.CronElsewhere() {
		err = s.server.With(ctx, s.server.Database(), superuser, func(conn *pgx.Conn) error {
			script, err := install.BootstrapCron(in, s.migrator)
			if err == nil {
				err = send(ctx, conn, script)
			}
			return err
		})
	}
	return "the schema", err
}

// column reads the rows of a query that has one column.
func column(ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]string, error) {
	found, _ := conn.Query(ctx, query, args...) // found gives the same error
	return pgx.CollectRows(found, pgx.RowTo[string])
}

// send runs statements that need no answer.
func send(ctx context.Context, conn *pgx.Conn, sql string) error {
	_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	return err
}

//go:embed sql/*.sql
var files embed.FS

// text is a file of sql with the schema of the install in place of the default one.
func (s *stage) text(name string) string {
	return quote.InSchema(files, "sql/"+name+".sql", s.File.Install.Schema)
}
