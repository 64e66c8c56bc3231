package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestCronConnectsOverTheSocket(t *testing.T) {
	t.Parallel()
	server := start(t, Options{Cron: true})
	url := server.URL(server.Database(), "")
	value[int](t, url, `SELECT cron.schedule('tick', '* * * * *', 'SELECT 1')::int`)
	if got := value[string](t, url, `SELECT nodename FROM cron.job`); got != server.Dir() {
		t.Errorf("pg_cron would connect to %q, not to the socket", got)
	}
}

const launcherConnected = `SELECT EXISTS (
	SELECT FROM pg_stat_activity WHERE backend_type = 'pg_cron launcher' AND datname = 'jobs')`

// TestStartsWithTheLauncher checks that Start waits for pg_cron's launcher. The launcher exits
// first, because its database is created after the server has started.
func TestStartsWithTheLauncher(t *testing.T) {
	t.Parallel()
	server := start(t, Options{Cron: true, Database: "jobs"})
	if !value[bool](t, server.URL(maintenance, ""), launcherConnected) {
		t.Error("pg_cron's launcher is not connected after Start")
	}
}

// TestLauncherIsLate checks that Restart waits for a launcher that cannot connect. If the wait
// ends, the error says for what Restart waited, and contains the server's log.
func TestLauncherIsLate(t *testing.T) {
	t.Parallel()
	server := start(t, Options{Cron: true, Database: "jobs"})
	url := server.URL(maintenance, "")
	const refused = `database "jobs" is not currently accepting connections`
	execute(t, url, "ALTER DATABASE jobs ALLOW_CONNECTIONS false")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	restarted := make(chan error, 1)
	go func() { restarted <- server.Restart(ctx) }()
	until(t, "Restart waits for the launcher, which was refused", func() bool {
		return strings.Contains(server.Log(), refused) && looksForLauncher(url)
	})
	cancel(errors.New("enough"))
	err := <-restarted
	if err == nil || !strings.Contains(err.Error(),
		`waiting for pg_cron's launcher to connect to database "jobs": enough`) ||
		!strings.Contains(err.Error(), "the server's log ends with") {
		t.Fatalf("Restart returns %v, want an error about the launcher with the end of the log", err)
	}

	waited := make(chan error, 1)
	go func() { waited <- server.awaitLauncher(t.Context()) }()
	execute(t, url, "ALTER DATABASE jobs ALLOW_CONNECTIONS true")
	if err := <-waited; err != nil || !value[bool](t, url, launcherConnected) {
		t.Errorf("got %v, want a launcher that is connected", err)
	}
}

// looksForLauncher reports whether a session executes the query that waits for the launcher. It
// returns false if the server does not accept connections yet.
func looksForLauncher(url string) bool {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return false
	}
	defer conn.Close(context.Background())
	var looks bool
	err = conn.QueryRow(context.Background(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query = $1)",
		cronLauncher).Scan(&looks)
	return err == nil && looks
}
