package sandbox

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

//go:embed reaper.sh
var reaperScript string

// reaper is a small shell that outlives us by a moment: it waits for the pipe from us to close,
// which the kernel does however we end, then ends the server and removes its directory.
type reaper struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

func startReaper(dir string, account account) (*reaper, error) {
	cmd := exec.Command("/bin/sh", "-c", reaperScript, "reaper", dir)
	cmd.Dir = "/"
	account.apply(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("watching over the server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("watching over the server: %w", err), pipe.Close())
	}
	return &reaper{cmd: cmd, pipe: pipe}, nil
}

// finish lets the reaper do its work and waits for it.
func (r *reaper) finish() error {
	_ = r.pipe.Close() // closed twice does no harm
	done := make(chan error, 1)
	go func() { done <- r.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("removing the server's directory: %w", err)
		}
		return nil
	case <-time.After(4 * patience): // many databases on a busy disk take a while
		return errors.New("removing the server's directory: the watching shell does not end")
	}
}
