package sandbox

import (
	"context"
	_ "embed" // create_database.sql
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

// initialise runs initdb and appends our settings.
func (s *Server) initialise(ctx context.Context) error {
	cmd := s.command("initdb", "--pgdata="+s.dataDir(), "--username="+superuser, "--auth=trust",
		"--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
	done := make(chan error, 1)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running initdb: %w", err)
	}
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("running initdb: %w\n%s", err, strings.TrimSpace(out.String()))
		}
		return s.configure()
	case <-ctx.Done():
		_ = cmd.Process.Kill() // it may be gone already
		<-done
		return context.Cause(ctx)
	}
}

// configure appends settings; in postgresql.conf the last one wins.
func (s *Server) configure() error {
	path := filepath.Join(s.dataDir(), "postgresql.conf")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("writing settings: %w", err)
	}
	defer f.Close()
	if _, err := f.WriteString(renderSettings(s.settings())); err != nil {
		return fmt.Errorf("writing settings: %w", err)
	}
	return f.Close()
}

func (s *Server) settings() map[string]string {
	settings := map[string]string{
		"listen_addresses":        "",
		"port":                    port,
		"unix_socket_directories": s.dir,
		"max_connections":         "100",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"log_line_prefix":         "%m [%p] %q%u@%d ",
		"fsync":                   onOff(s.options.Fsync),
		"full_page_writes":        onOff(s.options.Fsync),
	}
	if s.options.Cron {
		maps.Copy(settings, s.cronSettings())
	}
	maps.Copy(settings, s.options.Settings)
	return settings
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// renderSettings writes postgresql.conf lines; there quotes are doubled and backslashes escape.
func renderSettings(settings map[string]string) string {
	escape := strings.NewReplacer(`'`, `''`, `\`, `\\`, "\n", `\n`)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, escape.Replace(settings[name]))
	}
	return b.String()
}

//go:embed create_database.sql
var createDatabase string

// CreateDatabase makes an empty one.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	return s.create(ctx, maintenance, "database "+name, strings.ReplaceAll(createDatabase, "sandbox_database", quote.Ident(name)))
}

func (s *Server) create(ctx context.Context, database, what, sql string) error {
	conn, err := pgx.Connect(ctx, s.URL(database, ""))
	if err != nil {
		return fmt.Errorf("creating %s: %w", what, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("creating %s: %w", what, err)
	}
	return nil
}
