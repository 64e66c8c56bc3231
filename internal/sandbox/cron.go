package sandbox

import (
	"cmp"
	"context"
	_ "embed" // cron_launcher.sql
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed cron_launcher.sql
var cronLauncher string

// awaitLauncher waits until pg_cron's launcher is connected to its database: until then no job is started. The
// postmaster starts it with the server, but where the database does not exist yet it exits, and is started again only
// a second later.
func (s *Server) awaitLauncher(ctx context.Context) error {
	if !s.options.Cron {
		return nil
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	return s.With(ctx, maintenance, "", func(conn *pgx.Conn) error {
		for {
			var database string
			var connected bool
			err := conn.QueryRow(ctx, cronLauncher).Scan(&database, &connected)
			if connected || err != nil && ctx.Err() == nil {
				return err
			}
			if !pause(ctx) {
				log := strings.Split(strings.TrimSpace(s.Log()), "\n")
				return fmt.Errorf("waiting for pg_cron's launcher to connect to database %q: %w; the server's log ends with:\n%s",
					cmp.Or(database, s.Database()), context.Cause(ctx), strings.Join(log[max(len(log)-5, 0):], "\n"))
			}
		}
	})
}
