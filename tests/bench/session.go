package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/sandbox"
)

//go:embed sql/*.sql
var files embed.FS

// query returns an embedded statement. It panics if there is none, because all names are constants.
func query(name string) string {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// settings are for 2 cores and 24 GiB. PostgreSQL writes full pages to WAL as in production, with
// or without fsync. Autovacuum is off, because each measurement begins with a VACUUM.
var settings = map[string]string{
	"shared_buffers":       "1GB",
	"effective_cache_size": "16GB",
	"work_mem":             "64MB",
	"maintenance_work_mem": "512MB",
	"max_wal_size":         "8GB",
	"checkpoint_timeout":   "1h",
	"full_page_writes":     "on",
	"autovacuum":           "off",
	"jit":                  "off",
}

// session is a server with the database of the policies, and a copy of it for each filled table.
type session struct {
	options
	server   *sandbox.Server
	admin    *pgx.Conn // session of the superuser; its database is never copied
	standby  *pgx.Conn // session on the standby of bench "standby"
	loaded   map[string]bool
	dir      string // directory of the program and of the projects
	progress io.Writer
}

func start(ctx context.Context, o options, progress io.Writer) (*session, error) {
	settings["fsync"] = map[bool]string{true: "on", false: "off"}[o.fsync]
	server, err := sandbox.Start(ctx, sandbox.Options{Settings: settings})
	if err != nil {
		return nil, err
	}
	s := &session{options: o, server: server, loaded: map[string]bool{}, progress: progress}
	if s.admin, err = pgx.Connect(ctx, server.URL("", "")); err == nil {
		err = s.build(ctx)
	}
	if err == nil {
		err = s.install(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *session) stop() error { return errors.Join(s.server.Stop(), os.RemoveAll(s.dir)) }

// about describes the server and the rows of the measurement.
func (s *session) about(ctx context.Context) (string, error) {
	var text string
	err := s.admin.QueryRow(ctx, query("about")).Scan(&text)
	return fmt.Sprintf("%d rows, %d of them due, %d rounds\n%s\n", s.rows, s.rows/2, s.rounds, text), err
}

func (s *session) say(format string, args ...any) {
	fmt.Fprintf(s.progress, "%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}
