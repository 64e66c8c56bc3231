// Package sandbox starts a throw-away PostgreSQL, with pg_cron where asked, that listens on a
// unix socket in a temporary directory and nowhere else. Nothing of it outlives the process
// that started it, however that process ends.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// superuser owns the cluster; every connection over the socket is trusted.
const superuser = "postgres"

// port only names the socket: pg_cron stores it in cron.job, and it is the server's own.
const port = "5432"

// Options says what kind of server to start. The zero value is a server without pg_cron that
// trades safety against a crash of the machine, not of the server, for speed.
type Options struct {
	BinDir   string            // where initdb and postgres are; "" looks for them, see BinDir
	Dir      string            // where to make the temporary directory; "" means the system's
	Cron     bool              // load pg_cron and create the extension in Database
	Database string            // the one that exists from the start, "" is postgres
	Fsync    bool              // survive a crash of the machine as well
	Settings map[string]string // further postgresql.conf settings; they win over ours
}

// Server is one running throw-away server. Its methods may be called from any goroutine, but
// only one of Kill, Restart and Stop at a time.
type Server struct {
	options Options
	account account
	dir     string
	reaper  *reaper
	forget  func() bool // ends the watch on the context
	stop    sync.Once
	stopErr error

	mu         sync.Mutex
	postmaster *postmaster
}

// Start makes a cluster and waits until it takes connections and, with Cron, pg_cron's launcher is connected to
// Database. The server stops when ctx is done,
// when Stop is called, or when this process ends, whichever comes first. A MissingError says
// that PostgreSQL or pg_cron is not installed.
func Start(ctx context.Context, options Options) (*Server, error) {
	binDir, err := findBinDir(options.BinDir)
	if err != nil {
		return nil, err
	}
	options.BinDir = binDir
	if options.Cron {
		if err := checkCron(binDir); err != nil {
			return nil, err
		}
	}
	s, err := newServer(options)
	if err != nil {
		return nil, fmt.Errorf("starting sandbox: %w", err)
	}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting sandbox: %w", err), s.Stop())
	}
	return s, nil
}

// newServer makes the directory and whoever removes it, in this order.
func newServer(options Options) (*Server, error) {
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	dir, err := makeDir(options.Dir, account)
	if err != nil {
		return nil, err
	}
	s := &Server{options: options, account: account, dir: dir}
	if s.reaper, err = startReaper(dir, account); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// begin brings the server up for the first time.
func (s *Server) begin(ctx context.Context) error {
	if err := s.initialise(ctx); err != nil {
		return err
	}
	if err := s.launch(ctx); err != nil {
		return err
	}
	if s.Database() != maintenance {
		if err := s.CreateDatabase(ctx, s.Database()); err != nil {
			return err
		}
	}
	if s.options.Cron {
		if err := s.createCron(ctx); err != nil {
			return err
		}
	}
	if err := s.awaitLauncher(ctx); err != nil {
		return err
	}
	s.forget = context.AfterFunc(ctx, func() { _ = s.Stop() })
	return nil
}

// maintenance is the database that initdb makes.
const maintenance = "postgres"

// Database names the database that exists from the start; with Cron it has the extension.
func (s *Server) Database() string { return cmp.Or(s.options.Database, maintenance) }

// Dir is the temporary directory, which is also that of the socket.
func (s *Server) Dir() string { return s.dir }

// URL is the connection URL of a database for a user; "" means Database and the superuser.
func (s *Server) URL(database, user string) string {
	if database == "" {
		database = s.Database()
	}
	if user == "" {
		user = superuser
	}
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(user),
		Path:     "/" + database,
		RawPath:  "/" + url.PathEscape(database),
		RawQuery: url.Values{"host": {s.dir}, "port": {port}}.Encode(),
	}
	return u.String()
}

// Log is the end of the server's log, for messages.
func (s *Server) Log() string { return tail(s.logFile(), 4096) }

// Stop shuts the server down, sessions included, and removes its directory. It may be called
// more than once.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		if s.forget != nil {
			s.forget()
		}
		err := s.current().shutdown()
		if err == nil {
			_ = os.RemoveAll(s.dir) // here, where it may take its time; the reaper removes what a late session still writes
		}
		s.stopErr = errors.Join(err, s.reaper.finish(), os.RemoveAll(s.dir))
	})
	return s.stopErr
}

// Kill ends the postmaster with SIGKILL, as a crash would. Its sessions end as soon as they
// notice. Restart brings the server back, through recovery.
func (s *Server) Kill() error { return s.current().kill() }

// Restart shuts the server down where it still runs and starts it on the same data.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.current().shutdown(); err != nil {
		return fmt.Errorf("restarting sandbox: %w", err)
	}
	err := s.launch(ctx)
	if err == nil {
		err = s.awaitLauncher(ctx)
	}
	if err != nil {
		return fmt.Errorf("restarting sandbox: %w", err)
	}
	return nil
}

func (s *Server) current() *postmaster {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.postmaster
}

func (s *Server) dataDir() string { return filepath.Join(s.dir, "data") }
func (s *Server) logFile() string { return filepath.Join(s.dir, "postgresql.log") }

// command prepares one of the server's programs: as the server's account, in its own process
// group so that Ctrl-C reaches only us, and without our PG* variables.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.options.BinDir, program), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.options.BinDir + ":/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + s.dir}
	s.account.apply(cmd)
	return cmd
}

// patience bounds every wait of the package.
const patience = 30 * time.Second

// bounded is a context that ends after patience, and whose cause then says so.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, patience, fmt.Errorf("gave up after %s", patience))
}
