package rehearsal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/verifier"
)

// codeRun: a policy that cannot run in the database as the schema makes it.
var codeRun = diag.Register("L052", "a policy does not run")

// runPolicies runs every policy and report as its job would, on what rows the schema brings, few or none.
func (s *stage) runPolicies(ctx context.Context) (string, error) {
	var names []string
	for _, p := range s.File.Policies {
		names = append(names, p.Name)
	}
	for _, r := range s.File.Reports {
		names = append(names, r.Name)
	}
	runner := cmp.Or(s.File.Install.Roles.Runner, migrator)
	err := s.with(ctx, s.database, runner, func(ctx context.Context, conn *pgx.Conn) error {
		for _, name := range names {
			if err := s.run(ctx, conn, name); err != nil {
				return err
			}
		}
		return nil
	})
	return plural(len(names), "policy or report", "policies and reports"), err
}

// patience bounds the wait for a run that pg_cron started.
const patience = 10 * time.Minute

func (s *stage) run(ctx context.Context, conn *pgx.Conn, name string) error {
	var state, message, code string
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		_, err := conn.Exec(ctx, inSchema("run", s.File.Install.Schema), name)
		var server *pgconn.PgError
		if err != nil && !errors.As(err, &server) {
			return err
		}
		err = conn.QueryRow(ctx, inSchema("last_run", s.File.Install.Schema), name).Scan(&state, &message, &code)
		if errors.Is(err, pgx.ErrNoRows) && server != nil { // it did not even start
			state, message, code = "failed", server.Message, server.Code
		} else if err != nil {
			return err
		}
		if state != "busy" || time.Since(start) > patience {
			break
		}
	}
	d := diag.Diagnostic{Position: place(s.File, name), Code: codeRun, Message: fmt.Sprintf("%q ended %s: %s", name, state, message)}
	switch state {
	case "done", "more":
		return nil
	case "tripped": // by the rows that the schema file brought
		d.Severity = diag.Warning
	}
	if code != "" {
		d.Message += fmt.Sprintf(" [%s]", code)
	}
	s.found.Add(d)
	return nil
}

// verify looks as a superuser, and waits for every answer, so that nothing is unknown.
func (s *stage) verify(ctx context.Context) (string, error) {
	err := s.with(ctx, s.database, "", func(ctx context.Context, conn *pgx.Conn) error {
		options := verifier.Options{Counts: true, Timeout: patience}
		if s.File.Install.CronElsewhere() {
			cron, err := pgx.Connect(ctx, s.server.URL(s.server.Database(), ""))
			if err != nil {
				return fmt.Errorf("connecting to the sandbox: %w", err)
			}
			defer func() { _ = cron.Close(context.WithoutCancel(ctx)) }()
			options.Cron = cron
		}
		var err error
		s.report, err = verifier.Verify(ctx, conn, s.File, s.Wanted, options)
		return err
	})
	if err != nil {
		return "", err
	}
	return string(s.report.Verdict()), nil
}
