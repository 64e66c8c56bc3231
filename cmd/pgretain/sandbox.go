package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/sandbox"
)

const sandboxHelp = `Starts a throw-away PostgreSQL with pg_cron in a temporary directory, prints how to reach it, and
removes it on Ctrl-C. It listens on a unix socket only and trusts everybody who can reach that.
Works as root too (the server then runs as postgres or nobody).

The server programs are looked for in PGRETAIN_PG_BINDIR, with pg_config, in Debian's directories
and on PATH.

Exit codes:
  0  stopped by Ctrl-C or SIGTERM
  2  could not start, or could not load the example`

func sandboxCommand(c *console) *cobra.Command {
	var example string
	cron := true
	command := &cobra.Command{
		Use:     "sandbox",
		Short:   "Start a throw-away PostgreSQL with pg_cron",
		Long:    sandboxHelp,
		Example: "  pgretain sandbox\n  pgretain sandbox --example examples/bot-queue   # with the example's tables and rows",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			return c.sandbox(command.Context(), example, cron)
		},
	}
	command.Flags().StringVar(&example, "example", "", "load schema.sql and data.sql of this `directory`")
	command.Flags().BoolVar(&cron, "cron", cron, "load pg_cron")
	return command
}

func (c *console) sandbox(ctx context.Context, example string, cron bool) error {
	server, err := sandbox.Start(ctx, sandbox.Options{Cron: cron})
	if err != nil {
		return sandboxError(err)
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	if err := loadExample(ctx, server, example); err != nil {
		return err
	}
	c.printf("%s\n", server.URL("", ""))
	c.notef("\npsql '%s'\n\nCtrl-C stops the server and removes it.\n", server.URL("", ""))
	<-ctx.Done()
	return server.Stop()
}

// loadExample runs the files of an example, schema before data.
func loadExample(ctx context.Context, server *sandbox.Server, dir string) error {
	if dir == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, server.URL("", ""))
	if err != nil {
		return fmt.Errorf("connecting to the sandbox: %w", err)
	}
	defer closeConn(conn)
	for _, name := range []string{"schema.sql", "data.sql"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && name == "data.sql" {
			continue
		}
		if err != nil {
			return unreadable("file of the example", path, err, "Name another directory with --example.")
		}
		if err := load(ctx, conn, path, string(text)); err != nil {
			return err
		}
	}
	return nil
}

// load runs a file of SQL; an error names the place in it.
func load(ctx context.Context, conn *pgx.Conn, path, text string) error {
	_, err := conn.PgConn().Exec(ctx, withoutMeta(text)).ReadAll()
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return err
	}
	d := diag.Diagnostic{Position: place(path, text, server.Position), Severity: diag.Error,
		Code: server.Code, Message: server.Message, Detail: server.Detail, Hint: server.Hint}
	return &loadError{d}
}

// pgDumpMeta are the two commands for psql that pg_dump writes into every script.
var pgDumpMeta = regexp.MustCompile(`(?m)^\\(?:un)?restrict .*$`)

// withoutMeta leaves their lines empty, so that all others keep their numbers.
func withoutMeta(text string) string {
	return pgDumpMeta.ReplaceAllStringFunc(text, func(line string) string { return strings.Repeat(" ", len(line)) })
}

// place turns the server's character offset, from 1, into line and column.
func place(path, text string, offset int32) diag.Position {
	before := []rune(text)
	before = before[:min(max(int(offset)-1, 0), len(before))]
	lines := strings.Split(string(before), "\n")
	return diag.Position{File: path, Line: len(lines), Column: len([]rune(lines[len(lines)-1])) + 1}
}

// loadError is a statement of a file that the server refused.
type loadError struct{ diagnostic diag.Diagnostic }

func (e *loadError) Error() string { return e.diagnostic.Message }

func (e *loadError) Diagnostic() diag.Diagnostic { return e.diagnostic }

// sandboxError shows what is missing on the machine, with the hint of how to get it.
func sandboxError(err error) error {
	var missing *sandbox.MissingError
	if errors.As(err, &missing) {
		return &install.CheckError{Message: missing.What, Hint: missing.Hint}
	}
	return err
}
