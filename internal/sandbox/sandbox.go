// Package sandbox starts a temporary PostgreSQL server, optionally with pg_cron. It listens only on
// a unix socket in a temporary directory. When the process that started the server ends, for
// whatever reason, the server ends and its files are removed.
package sandbox

import (
	"cmp"
	"context"
	_ "embed" // for create_database.sql, postgresql.conf
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

const (
	// owner of the cluster; the server trusts every connection over the socket
	superuser   = "postgres"
	port        = "5432"     // part of the socket's name; pg_cron stores the port in cron.job
	maintenance = "postgres" // database that initdb creates
)

// Options says what kind of server to start. The zero value is a server without pg_cron. For speed,
// the server does not protect its data against a crash of the machine. A crash of the server loses
// no data.
type Options struct {
	Cron     bool   // load pg_cron and create the extension in Database
	Database string // database that exists from the start; "" is postgres
	// further settings of postgresql.conf, which override those of this package
	Settings map[string]string

	// Data returns the command that creates the data directory as a copy of another server's. If it
	// is nil, initdb creates an empty one.
	Data func(*Server) *exec.Cmd
}

// Server is one running temporary server. Any goroutine may call its methods, but only one of Kill,
// Restart and Stop at a time.
type Server struct {
	Options    Options // options of Start
	binDir     string
	account    account
	dir        string
	reaper     *exec.Cmd
	pipe       io.Closer   // closing the pipe makes the reaper end the server
	forget     func() bool // ends the watch on the context
	stop       func() error
	postmaster atomic.Pointer[postmaster]
}

// Start creates a cluster and waits until it accepts connections. With Cron it also waits until
// pg_cron's launcher is connected to Database. The server stops when ctx is done, when Stop is
// called, or when this process ends. A *MissingError means that PostgreSQL or pg_cron is not
// installed.
func Start(ctx context.Context, options Options) (*Server, error) {
	binDir, err := findBinDir()
	if err != nil {
		return nil, err
	}
	s := &Server{Options: options, binDir: binDir}
	s.stop = sync.OnceValue(s.end)
	// First the directory is created, then the process that removes it, and at last the server.
	if s.account, err = serverAccount(); err == nil {
		s.dir, err = makeDir(s.account)
	}
	if err == nil {
		if err = s.startReaper(); err != nil {
			err = errors.Join(err, os.RemoveAll(s.dir))
		} else if err = s.create(ctx); err != nil {
			err = errors.Join(err, s.Stop())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("starting sandbox: %w", err)
	}
	s.forget = context.AfterFunc(ctx, func() { _ = s.Stop() })
	return s, nil
}

// create creates a cluster. Unless the cluster is a copy, it also creates the database and the
// extension.
func (s *Server) create(ctx context.Context) error {
	if s.Options.Data != nil {
		if err := s.launchOn(ctx, s.Options.Data(s)); err != nil {
			return err
		}
		return s.awaitLauncher(ctx)
	}
	err := s.launchOn(ctx, s.Command(ctx, "initdb", "--pgdata="+s.DataDir(), "--username="+superuser, "--auth=trust",
		"--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"))
	if err == nil && s.Database() != maintenance {
		err = s.CreateDatabase(ctx, s.Database())
	}
	if err == nil && s.Options.Cron {
		err = s.execute(ctx, s.Database(), "CREATE EXTENSION IF NOT EXISTS pg_cron")
	}
	if err == nil {
		err = s.awaitLauncher(ctx)
	}
	return err
}

//go:embed postgresql.conf
var settings string

// configure appends settings to the server's file.
func (s *Server) configure() error {
	// In this file quotes are doubled, and backslashes are escapes.
	escape := strings.NewReplacer(`'`, `''`, `\`, `\\`, "\n", `\n`)
	text := settings
	set := func(name, value string) { text += fmt.Sprintf("%s = '%s'\n", name, escape.Replace(value)) }
	set("unix_socket_directories", s.dir)
	if s.Options.Cron {
		set("shared_preload_libraries", "pg_cron")
		set("cron.database_name", s.Database())
		// by default pg_cron connects to localhost, on which the server does not listen
		set("cron.host", s.dir)
		set("cron.use_background_workers", "off")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Options.Settings)) {
		set(name, s.Options.Settings[name])
	}
	f, err := os.OpenFile(filepath.Join(s.DataDir(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

//go:embed create_database.sql
var createDatabase string

// CreateDatabase creates an empty database.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	return s.execute(ctx, maintenance, strings.ReplaceAll(createDatabase, "sandbox_database", quote.Ident(name)))
}

func (s *Server) execute(ctx context.Context, database, sql string) error {
	return s.With(ctx, database, "", func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		return nil
	})
}

// With opens a connection to a database as a user, and calls a function with it. It accepts the
// same names as URL.
func (s *Server) With(ctx context.Context, database, user string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.URL(database, user))
	if err != nil {
		return fmt.Errorf("connecting to the sandbox: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return do(conn)
}

// Database returns the database that exists from the start. With Cron it has the extension.
func (s *Server) Database() string { return cmp.Or(s.Options.Database, maintenance) }

// URL returns the connection URL of a database for a user. "" means Database and the superuser.
func (s *Server) URL(database, user string) string {
	database = cmp.Or(database, s.Database())
	u := url.URL{Scheme: "postgres", User: url.User(cmp.Or(user, superuser)), Path: "/" + database,
		RawPath: "/" + url.PathEscape(database), RawQuery: url.Values{"host": {s.dir}, "port": {port}}.Encode()}
	return u.String()
}

// Log returns the end of the server's log for messages, or "" if it cannot be read.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.logFile())
	return string(text[max(len(text)-4096, 0):])
}

// Stop shuts the server down, ends its sessions and removes its directory. It may be called
// repeatedly.
func (s *Server) Stop() error { return s.stop() }

func (s *Server) end() error {
	if s.forget != nil {
		s.forget()
	}
	s.Shutdown()
	// Remove the files here, where it may take time. The reaper removes files that a late session
	// writes.
	_ = os.RemoveAll(s.dir)
	return errors.Join(s.reap(), os.RemoveAll(s.dir))
}

// Kill ends the postmaster with SIGKILL, like a crash. Its sessions end when they notice. Restart
// starts the server again, with recovery.
func (s *Server) Kill() error {
	p := s.postmaster.Load()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping postgres: %w", err)
	}
	<-p.gone.Done()
	return nil
}

// Shutdown shuts down a running postmaster cleanly, and keeps its files. Restart starts the server
// again.
func (s *Server) Shutdown() {
	if p := s.postmaster.Load(); p != nil {
		p.stop()
		<-p.gone.Done()
	}
}

// Restart shuts the server down if it runs, and starts it on the same data.
func (s *Server) Restart(ctx context.Context) error {
	s.Shutdown()
	err := s.launch(ctx)
	if err == nil {
		err = s.awaitLauncher(ctx)
	}
	if err != nil {
		return fmt.Errorf("restarting sandbox: %w", err)
	}
	return nil
}

// Dir returns the temporary directory, which contains the socket.
func (s *Server) Dir() string { return s.dir }

// DataDir returns the data directory.
func (s *Server) DataDir() string { return filepath.Join(s.dir, "data") }

func (s *Server) logFile() string { return filepath.Join(s.dir, "postgresql.log") }

// timeout limits every wait of the package.
const timeout = 30 * time.Second

// bounded returns a context that ends after timeout, with a cause that says so.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, timeout, fmt.Errorf("gave up after %s", timeout))
}
