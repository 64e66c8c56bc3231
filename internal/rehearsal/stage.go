package rehearsal

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/verifier"
)

// The roles of a rehearsal. The schema is loaded as a superuser, because extensions need one; its
// objects then go to one that migrates and is none, as it is in production.
const (
	loader   = "rehearsal_loader"
	migrator = "rehearsal_migrator"
)

// stage is the throw-away server while a rehearsal is under way.
type stage struct {
	Script
	Parts
	server   *sandbox.Server
	database string            // of the tables
	before   *catalog.Snapshot // the tables, with nothing of ours
	found    diag.List
	report   *verifier.Report
}

func (s *stage) open(ctx context.Context) error {
	in := s.File.Install
	server, err := sandbox.Start(ctx, sandbox.Options{Cron: in.Scheduler == "pg_cron", Database: in.CronDatabase})
	if err != nil {
		return err
	}
	s.server, s.database = server, cmp.Or(in.Database, server.Database())
	if err := s.prepare(ctx); err != nil {
		s.close()
		return err
	}
	return nil
}

func (s *stage) close() { _ = s.server.Stop() } // it stops with the process at the latest

// prepare makes roles, the database, and plpgsql_check.
func (s *stage) prepare(ctx context.Context) error {
	if s.database != s.server.Database() {
		if err := s.server.CreateDatabase(ctx, s.database); err != nil {
			return err
		}
	}
	if err := s.script(ctx, s.database, "", text("roles")); err != nil {
		return err
	}
	if err := s.script(ctx, s.database, "", text("plpgsql_check")); err != nil {
		return missing(err)
	}
	return s.createRoles(ctx)
}

func (s *stage) createRoles(ctx context.Context) error {
	return s.with(ctx, s.database, "", func(ctx context.Context, conn *pgx.Conn) error {
		var create string
		if err := conn.QueryRow(ctx, text("missing_roles"), s.Roles).Scan(&create); err != nil {
			return err
		}
		_, err := conn.PgConn().Exec(ctx, create).ReadAll()
		return err
	})
}

// load makes the application's schema, hands it over, and compiles the policy for it.
func (s *stage) load(ctx context.Context) (string, error) {
	if err := s.with(ctx, s.database, loader, s.Load); err != nil {
		return "", err
	}
	if err := s.script(ctx, s.database, "", text("hand_over")); err != nil {
		return "", err
	}
	err := s.with(ctx, s.database, "", func(ctx context.Context, conn *pgx.Conn) error {
		var err error
		if s.before, err = s.Inspect(ctx, conn); err == nil {
			s.Parts, err = s.Compile(ctx, conn, s.before)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return "the schema", s.bootstrap(ctx)
}

// bootstrap is what a DBA does once.
func (s *stage) bootstrap(ctx context.Context) error {
	in := s.File.Install
	script, err := install.Bootstrap(in, s.database, migrator)
	if err != nil {
		return fmt.Errorf("rehearsing bootstrap: %w", err)
	}
	if err := s.script(ctx, s.database, "", script); err != nil || !in.CronElsewhere() {
		return err
	}
	if script, err = install.BootstrapCron(in, migrator); err != nil {
		return fmt.Errorf("rehearsing bootstrap --cron: %w", err)
	}
	return s.script(ctx, s.server.Database(), "", script)
}

// with calls f with a connection of its own.
func (s *stage) with(ctx context.Context, database, user string, f func(context.Context, *pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.server.URL(database, user))
	if err != nil {
		return fmt.Errorf("connecting to the sandbox: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return f(ctx, conn)
}

// script runs statements that need no answer.
func (s *stage) script(ctx context.Context, database, user, sql string) error {
	return s.with(ctx, database, user, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
		return err
	})
}

// place is where a policy or report stands in the file.
func place(file *policy.File, name string) diag.Position {
	for _, p := range file.Policies {
		if p.Name == name {
			return p.Position
		}
	}
	for _, r := range file.Reports {
		if r.Name == name {
			return r.Position
		}
	}
	return file.Install.Position
}
