package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// postmaster is one life of the server. A nil postmaster has ended.
type postmaster struct {
	cmd  *exec.Cmd
	done chan struct{} // closed once the process is gone
}

// inUse is how a postmaster refuses to start while sessions of a killed one still run.
const inUse = "is still in use"

// launch starts a postmaster and waits until it takes connections. After Kill the sessions of the
// one before may need a moment to go, so a refusal over that is tried again.
func (s *Server) launch(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	for {
		started, err := s.launchOnce(ctx)
		if err == nil || started || !strings.Contains(s.Log(), inUse) {
			return err
		}
		if !pause(ctx) {
			return err
		}
	}
}

// launchOnce reports whether the process still runs when it returns an error.
func (s *Server) launchOnce(ctx context.Context) (bool, error) {
	p, err := s.startPostmaster()
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	s.postmaster = p
	s.mu.Unlock()
	return p.waitReady(ctx, s)
}

func (s *Server) startPostmaster() (*postmaster, error) {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := s.command("postgres", "-D", s.dataDir())
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting postgres: %w", err)
	}
	p := &postmaster{cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// waitReady connects until it works. The error of the last try says why not.
func (p *postmaster) waitReady(ctx context.Context, s *Server) (bool, error) {
	for {
		err := ping(ctx, s.URL(maintenance, ""))
		if err == nil {
			return true, nil
		}
		if p.ended() {
			return false, fmt.Errorf("postgres ended while starting:\n%s", strings.TrimSpace(s.Log()))
		}
		if !pause(ctx) {
			return true, fmt.Errorf("waiting for postgres: %w", errors.Join(context.Cause(ctx), err))
		}
	}
}

func ping(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
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

func (p *postmaster) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// shutdown escalates until the process is gone: fast, immediate, SIGKILL.
func (p *postmaster) shutdown() error {
	if p == nil || p.ended() {
		return nil
	}
	for _, signal := range []os.Signal{fastShutdown, immediateShutdown, os.Kill} {
		if err := p.signal(signal); err != nil {
			return err
		}
		select {
		case <-p.done:
			return nil
		case <-time.After(patience / 3):
		}
	}
	return errors.New("stopping postgres: the process does not end")
}

func (p *postmaster) kill() error {
	if p == nil || p.ended() {
		return nil
	}
	if err := p.signal(os.Kill); err != nil {
		return err
	}
	<-p.done
	return nil
}

func (p *postmaster) signal(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping postgres: %w", err)
	}
	return nil
}
