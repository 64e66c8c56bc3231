package sandbox

import (
	"context"
	_ "embed" // reaper.sh
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Command prepares one of the server's programs: as the server's account, in its own process
// group so that Ctrl-C reaches only us, and without our PG* variables. It is killed when ctx is done.
func (s *Server) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.binDir, program), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.binDir + ":/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + s.dir}
	cmd.WaitDelay = timeout / 2
	s.account.apply(cmd)
	return cmd
}

// launchOn runs the command that makes the data directory, and starts a postmaster on it.
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

// postmaster is one life of the server.
type postmaster struct {
	cmd  *exec.Cmd
	stop context.CancelFunc // asks for a fast shutdown, and kills after a while
	done chan struct{}      // closed once the process is gone
}

// What postmasters say that refuse to start: while sessions of a killed one still run, and without pg_cron.
const (
	inUse  = "is still in use"
	noCron = `could not access file "pg_cron"`
)

// launch starts a postmaster and waits until it takes connections. After Kill the sessions of the
// one before may need a moment to go, so a refusal over that is tried again.
func (s *Server) launch(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	p, err := s.startPostmaster()
	for err == nil {
		conn, refused := pgx.Connect(ctx, s.URL(maintenance, ""))
		if refused == nil {
			return conn.Close(ctx)
		}
		ended := false
		select {
		case <-p.done:
			ended = true
		default:
		}
		log := s.Log()
		switch {
		case ended && strings.Contains(log, inUse) && pause(ctx):
			p, err = s.startPostmaster()
		case ended && strings.Contains(log, noCron):
			return &MissingError{
				What: fmt.Sprintf("no pg_cron for the PostgreSQL in %s", s.binDir),
				Hint: "On Debian and Ubuntu run .ci/setup, or install postgresql-<version>-cron for the version of this server.",
			}
		case ended:
			return fmt.Errorf("postgres ended while starting:\n%s", strings.TrimSpace(log))
		case !pause(ctx):
			return fmt.Errorf("waiting for postgres: %w", errors.Join(context.Cause(ctx), refused))
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
	p := &postmaster{cmd: s.Command(ctx, "postgres", "-D", s.DataDir()), stop: stop, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(fastShutdown) }
	if err := p.cmd.Start(); err != nil {
		stop()
		return nil, err
	}
	s.postmaster.Store(p)
	go func() {
		_ = p.cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// pause waits a moment; false when ctx is done.
func pause(ctx context.Context) bool {
	select {
	case <-time.After(15 * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

// shutdown returns when the process is gone. There is none where the server never came so far.
func (p *postmaster) shutdown() {
	if p != nil {
		p.stop()
		<-p.done
	}
}

//go:embed reaper.sh
var reaperScript string

// reaper is a shell that waits for its pipe from this process to close, which the kernel does however this process
// ends; then it ends the server and removes its directory.
type reaper struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

func startReaper(dir string, account account) (*reaper, error) {
	cmd := exec.Command("/bin/sh", "-c", reaperScript, "reaper", dir)
	cmd.Dir = "/"
	account.apply(cmd)
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("watching over the server: %w", err)
	}
	return &reaper{cmd: cmd, pipe: pipe}, nil
}

// finish lets the reaper do its work and waits for it; many databases on a busy disk take a while.
func (r *reaper) finish() error {
	_ = r.pipe.Close() // closed twice does no harm
	defer time.AfterFunc(4*timeout, func() { _ = r.cmd.Process.Kill() }).Stop()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("removing the server's directory: %w", err)
	}
	return nil
}
