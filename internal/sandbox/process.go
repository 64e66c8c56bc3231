package sandbox

import (
	"cmp"
	"context"
	_ "embed" // for reaper.sh
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
)

// Command prepares a call of one of PostgreSQL's programs. The program runs as the server's
// account, without the PG* variables of this process. It has its own process group, so that Ctrl-C
// reaches only this process. The program is killed when ctx is done.
func (s *Server) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.binDir, program), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.binDir + ":/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + s.dir}
	cmd.WaitDelay = timeout / 2
	runAs(s.account, cmd)
	return cmd
}

// launchOn runs the command that creates the data directory, and starts a postmaster on it.
func (s *Server) launchOn(ctx context.Context, cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("running %s: %w\n%s", filepath.Base(cmd.Path), err, strings.TrimSpace(string(out)))
	}
	if err := s.configure(); err != nil {
		return fmt.Errorf("writing settings: %w", err)
	}
	return s.launch(ctx)
}

// postmaster is one process of the server's main program.
type postmaster struct {
	cmd  *exec.Cmd
	stop context.CancelFunc // requests a fast shutdown, and kills after a while
	gone context.Context    // ends when the process ends
}

// These are messages of a postmaster that does not start. For inUse, sessions of a killed
// postmaster still run. For noCron, pg_cron is missing.
const (
	inUse  = "is still in use"
	noCron = `could not access file "pg_cron"`
)

// launch starts a postmaster and waits until it accepts connections. After Kill, the old sessions
// may need time to end. If they prevent the start, launch tries again.
func (s *Server) launch(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	p, err := s.startPostmaster()
	for err == nil {
		conn, refused := pgx.Connect(ctx, s.URL(maintenance, ""))
		if refused == nil {
			return conn.Close(ctx)
		}
		ended, log := p.gone.Err() != nil, s.Log()
		switch {
		case ended && strings.Contains(log, noCron):
			return &MissingError{"no pg_cron for the PostgreSQL in " + s.binDir,
				"On Debian and Ubuntu run .ci/setup, " +
					"or install postgresql-<version>-cron for the version of this server."}
		case ended && !strings.Contains(log, inUse):
			return fmt.Errorf("postgres ended while starting:\n%s", strings.TrimSpace(log))
		case !pause(ctx):
			return fmt.Errorf("waiting for postgres: %w", errors.Join(context.Cause(ctx), refused))
		case ended:
			p, err = s.startPostmaster()
		}
	}
	return fmt.Errorf("starting postgres: %w", err)
}

func (s *Server) startPostmaster() (*postmaster, error) {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	ctx, stop := context.WithCancel(context.Background())
	gone, ended := context.WithCancel(context.Background())
	p := &postmaster{cmd: s.Command(ctx, "postgres", "-D", s.DataDir()), stop: stop, gone: gone}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) } // a fast shutdown
	if err := p.cmd.Start(); err != nil {
		stop()
		ended()
		return nil, err
	}
	s.postmaster.Store(p)
	go func() {
		defer ended()
		_ = p.cmd.Wait() // the log says how it ended
	}()
	return p, nil
}

// pause waits a moment. It returns false when ctx is done.
func pause(ctx context.Context) bool {
	time.Sleep(15 * time.Millisecond)
	return ctx.Err() == nil
}

//go:embed cron_launcher.sql
var cronLauncher string

// awaitLauncher waits until pg_cron's launcher is connected to its database. Until then no job
// starts. If the database does not exist yet, the launcher exits, and the postmaster starts it
// again a second later.
func (s *Server) awaitLauncher(ctx context.Context) error {
	if !s.Options.Cron {
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
				end := strings.Join(log[max(len(log)-5, 0):], "\n")
				return fmt.Errorf("waiting for pg_cron's launcher to connect to database %q: %w; "+
					"the server's log ends with:\n%s", cmp.Or(database, s.Database()), context.Cause(ctx), end)
			}
		}
	})
}

//go:embed reaper.sh
var reaperScript string

// startReaper starts a shell that waits until a pipe of this process closes. The kernel closes the
// pipe when this process ends, for whatever reason. Then the shell ends the server and removes its
// directory.
func (s *Server) startReaper() (err error) {
	s.reaper = exec.Command("/bin/sh", "-c", reaperScript, "reaper", s.dir)
	s.reaper.Dir = "/"
	runAs(s.account, s.reaper)
	if s.pipe, err = s.reaper.StdinPipe(); err == nil {
		err = s.reaper.Start()
	}
	if err != nil {
		err = fmt.Errorf("watching over the server: %w", err)
	}
	return err
}

// reap makes the reaper end the server, and waits until the reaper has ended. Removing many
// databases on a busy disk takes a while.
func (s *Server) reap() error {
	_ = s.pipe.Close() // closing it twice does no harm
	defer time.AfterFunc(4*timeout, func() { _ = s.reaper.Process.Kill() }).Stop()
	if err := s.reaper.Wait(); err != nil {
		return fmt.Errorf("removing the server's directory: %w", err)
	}
	return nil
}

// BinDirVariable is the name of the environment variable that overrides the search for PostgreSQL.
const BinDirVariable = "PGRETAIN_PG_BINDIR"

// MissingError reports that something the sandbox needs is not installed. Hint says how to get it.
type MissingError struct{ What, Hint string }

func (e *MissingError) Error() string { return e.What }

// Diagnostic returns the error as a diagnostic.
func (e *MissingError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Message: e.What, Hint: e.Hint}
}

// findBinDir returns the directory that the environment variable names. If the variable is not set,
// findBinDir returns the newest directory of Debian's packages that has a server, or a directory of
// PATH. If the variable names a directory without a server, findBinDir returns an error.
func findBinDir() (string, error) {
	if named := os.Getenv(BinDirVariable); named != "" {
		if hasServer(named) {
			return filepath.Abs(named)
		}
		return "", &MissingError{"no initdb and postgres in " + named,
			"Check " + BinDirVariable + "; it names the directory of initdb, for example /usr/lib/postgresql/15/bin."}
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	slices.Reverse(dirs)                                  // since version 10 all have two digits
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	if i := slices.IndexFunc(dirs, hasServer); i >= 0 {
		return dirs[i], nil
	}
	return "", &MissingError{"no PostgreSQL server programs (initdb, postgres) on this machine",
		"On Debian and Ubuntu run .ci/setup, or install postgresql and postgresql-<version>-cron; elsewhere set " +
			BinDirVariable + " to the directory of initdb."}
}

func hasServer(dir string) bool {
	_, initdb := exec.LookPath(filepath.Join(dir, "initdb"))
	_, postgres := exec.LookPath(filepath.Join(dir, "postgres"))
	return initdb == nil && postgres == nil
}

// socketLimit is the longest path of a unix socket. sun_path has 108 bytes on Linux and 104 on the
// BSDs, including the terminating zero.
const socketLimit = 103

// makeDir creates the private directory of one server. Only the account and root can enter it, so
// trust authentication is safe.
func makeDir(account account) (string, error) {
	var first error
	for _, place := range []string{os.TempDir(), "/tmp"} {
		dir, err := makeDirIn(place, account)
		if err == nil {
			return dir, nil
		}
		first = cmp.Or(first, err)
	}
	return "", fmt.Errorf("making a temporary directory: %w", first)
}

func makeDirIn(place string, account account) (string, error) {
	place, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(place, "pgretain-")
	if err != nil {
		return "", err
	}
	if account != nil {
		err = os.Chown(dir, int(account.Uid), int(account.Gid))
	}
	if socket := filepath.Join(dir, ".s.PGSQL."+port); len(socket) > socketLimit {
		err = fmt.Errorf("the socket's path %s is longer than %d bytes", socket, socketLimit)
	} else if err == nil {
		enter := exec.Command("/bin/sh", "-c", ":")
		enter.Dir = dir
		runAs(account, enter)
		if err = enter.Run(); err != nil {
			err = fmt.Errorf("the server's user cannot enter %s: %w", dir, err)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// account is the account of the server. nil means the account of this process.
type account = *syscall.Credential

// serverAccount returns postgres or nobody if this process runs as root. initdb and postgres refuse
// to run as root.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
			gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
		}
	}
	return nil, &MissingError{"PostgreSQL does not run as root, and there is no user postgres or nobody",
		"Run as an ordinary user, or create a user postgres."}
}

// runAs makes cmd run as the account, and keeps signals of the terminal away from it.
func runAs(account account, cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: account}
}
