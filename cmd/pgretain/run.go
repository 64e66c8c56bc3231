package main

import (
	"context"
	"embed"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	catalogsql "pgretain/sql/catalog"
)

const runHelp = `Runs a policy, or all policies of a job in their order, exactly as pg_cron would, and waits for the
end. Progress goes to standard error: one line that changes on a terminal, a line every five
seconds elsewhere, nothing for runs under a second. Ctrl-C cancels the run; batches that were
committed stay deleted, and the run log says where it stopped.

Exit codes:
  0  every run ended "done", or "more" (its budget is spent, the next run goes on)
  1  a run failed, tripped its breaker, is paused, found another one at work ("busy"), or was cancelled
  2  could not run: no connection, no runtime, a standby, no such policy or job, no rights`

// order says what to run.
type order struct {
	policy, job, asOf, reason string
}

func runCommand(c *console) *cobra.Command {
	t := target{writes: true}
	var o order
	command := &cobra.Command{
		Use:               "run POLICY | --job JOB",
		Short:             "Run a policy or a job now",
		Long:              runHelp,
		Example:           "  pgretain run enqueued_messages_ttl --reason \"queue of bot 17 is full\"\n  pgretain run --job enqueued_messages",
		Args:              policyOrJob(&o),
		ValidArgsFunction: policyNames(&t),
		RunE: func(command *cobra.Command, _ []string) error {
			return c.run(command.Context(), &t, o)
		},
	}
	t.add(command)
	addAsOf(command, &o.asOf)
	command.Flags().StringVar(&o.job, "job", "", "run the policies of this `job`")
	command.Flags().StringVar(&o.reason, "reason", "", "a `text` for the run log")
	_ = command.RegisterFlagCompletionFunc("job", jobNames(&t)) // fails for an unknown flag only
	return command
}

// policyOrJob asks for one of the two.
func policyOrJob(o *order) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) > 1, len(args) == 0 && o.job == "":
			return &usageError{"run needs the name of one policy, or --job"}
		case len(args) == 1 && o.job != "":
			return &usageError{"run takes a policy or --job, not both"}
		case len(args) == 1:
			o.policy = args[0]
		}
		return nil
	}
}

func (c *console) run(ctx context.Context, t *target, o order) error {
	s, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	w, err := c.watch(ctx, t, s.conn.PgConn().PID())
	if err != nil {
		return err
	}
	defer w.close()
	callErr := s.call(ctx, o)
	if callErr != nil {
		s.settle(ctx)
	}
	w.stop()
	runs, err := w.runs()
	if err != nil {
		return s.explain(err)
	}
	if len(runs) == 0 && callErr != nil {
		return s.explain(callErr)
	}
	return c.summarise(runs)
}

// call runs the procedure outside a transaction, since it commits after every batch.
func (s *session) call(ctx context.Context, o order) error {
	name, what := "run", o.policy
	if o.job != "" {
		name, what = "run_job", o.job
	}
	var outcome *string
	return s.conn.QueryRow(ctx, s.statement(name), what, orNull(o.asOf), orNull(o.reason)).Scan(&outcome)
}

// settle ends a run that a cancel left open, in the session that it ran in. Without a connection
// there is nothing to end: the next run of the table finds it abandoned.
func (s *session) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = s.conn.Exec(ctx, s.statement("settle"))
}

// plan lets the server plan every expression of the policy, in a transaction that reads only: what it
// refuses is said with the line of the policy.
func (p *project) plan(ctx context.Context, conn *pgx.Conn, snapshot *catalog.Snapshot) error {
	var list diag.List
	for _, check := range generator.Checks(p.file, snapshot) {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, catalogsql.Query("search_path"), p.searchPath()); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, check.SQL)
			return err
		})
		server := (*pgconn.PgError)(nil)
		if errors.As(err, &server) && refused(server.Code) {
			list.Add(diag.Diagnostic{Position: check.Expr.Position, Code: generator.CodeExpression,
				Message: server.Message, Detail: server.Detail, Hint: server.Hint})
		} else if err != nil && server == nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &problems{list.Unique(), p.sources}
}

// refused says whether an error is about the expression: its syntax, names, types or values, and not
// about the rights of whoever asks.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func refused(sqlstate string) bool {
	return strings.HasPrefix(sqlstate, "22") || strings.HasPrefix(sqlstate, "42") && sqlstate != "42501"
}

// searchPath is the path that generated functions have.
func (p *project) searchPath() string {
	names := []string{"pg_catalog"}
	for _, name := range append(p.file.Install.SearchPath, "pg_temp") {
		names = append(names, quote.Ident(name))
	}
	return strings.Join(names, ", ")
}

//go:embed sql/*.sql
var statementFiles embed.FS

// statement is a file of sql with the schema of the install in place of the default one. Values
// are query parameters.
func statement(name, schema string) string {
	text, err := statementFiles.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(text), "retention.", quote.Ident(schema)+".")
}
