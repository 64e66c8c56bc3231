package main

import (
	"context"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/sandbox"
)

func (c *console) sandboxCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "sandbox",
		Short: "Start a temporary PostgreSQL with pg_cron",
		Long: `Starts a temporary PostgreSQL with pg_cron in a temporary directory, prints its connection URL, and
removes it on Ctrl-C. The server listens only on a Unix socket. Everybody who can open the socket can
connect without a password. Also works as root; the server then runs as postgres or nobody.

The command looks for the server programs in PGRETAIN_PG_BINDIR, in Debian's directories and on PATH.

Exit codes:
  0  stopped by Ctrl-C or SIGTERM
  2  could not start, or could not load the example`,
		Example: `  pgretain sandbox
  pgretain sandbox --example examples/bot-queue   # with the example's tables and rows`,
		RunE: c.inDatabases(&f, (*console).sandbox),
	}
	command.Flags().StringVar(&f.Example, "example", "", "load schema.sql and data.sql of this `directory`")
	command.Flags().BoolVar(&f.Cron, "cron", true, "load pg_cron")
	return command
}

// sandbox starts a temporary server and stops it when ctx ends.
func (c *console) sandbox(ctx context.Context, _ []string) error {
	return withSandbox(ctx, sandbox.Options{Cron: c.Cron}, func(server *sandbox.Server, conn *pgx.Conn) error {
		if err := loadExample(ctx, conn, c.Example); err != nil {
			return err
		}
		closeConn(conn)
		c.printf("%s\n", server.URL("", ""))
		c.notef("\npsql '%s'\n\nCtrl-C stops the server and removes it.\n", server.URL("", ""))
		<-ctx.Done()
		return server.Stop()
	})
}

// withSandbox calls a function with a temporary server and a connection to it.
func withSandbox(ctx context.Context, options sandbox.Options, do func(*sandbox.Server, *pgx.Conn) error) error {
	server, err := sandbox.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }() // the server stops with this process at the latest
	return server.With(ctx, "", "", func(conn *pgx.Conn) error { return do(server, conn) })
}

// loadExample executes the files of an example: first the schema, then the data.
func loadExample(ctx context.Context, conn *pgx.Conn, dir string) error {
	for _, name := range []string{"schema.sql", "data.sql"} {
		path := filepath.Join(dir, name)
		if dir == "" || name == "data.sql" && missing(path) {
			continue
		}
		text, err := readFile("file of the example", path, "Name another directory with --example.")
		if err == nil {
			err = load(ctx, conn, path, string(text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
