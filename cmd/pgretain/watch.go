package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// watch follows a run over a second connection: the first one is busy running.
type watch struct {
	*session
	pid    uint32
	last   int64 // the last run before ours
	cancel context.CancelFunc
	done   chan struct{}
}

const (
	quiet    = time.Second            // runs under this show nothing
	interval = 250 * time.Millisecond // between two looks, on a terminal
	sparse   = 5 * time.Second        // between two lines elsewhere
)

// watch begins to show progress of what the backend pid is going to run.
func (c *console) watch(ctx context.Context, t *target, pid uint32) (*watch, error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	w := &watch{session: s, pid: pid, done: make(chan struct{})}
	if err := s.conn.QueryRow(ctx, s.statement("last_run")).Scan(&w.last); err != nil {
		s.close()
		return nil, s.explain(err)
	}
	// Ctrl-C cancels the run, not our view of how it ends.
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(w.done)
		w.show(ctx, display{c.err, isTerminal(c.err)})
	}()
	return w, nil
}

// stop ends the display; the connection is free for other questions afterwards.
func (w *watch) stop() {
	w.cancel()
	<-w.done
}

// show looks again and again until ctx ends. What it cannot read it does not show: the run itself
// reports what is wrong.
func (w *watch) show(ctx context.Context, d display) {
	defer d.clear()
	for pause := quiet; sleep(ctx, pause); pause = d.pause() {
		p, err := w.progress(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return
		}
		d.line(p.String())
	}
}

// sleep is false when ctx ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// progress is one look at a run; due and left are negative where unknown.
type progress struct {
	policy           string
	due, taken, rate int64
	left             float64
}

func (w *watch) progress(ctx context.Context) (progress, error) {
	// The display's end must not cancel a look and with it the connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var p progress
	err := w.conn.QueryRow(ctx, w.statement("progress"), w.pid).Scan(&p.policy, &p.due, &p.taken, &p.rate, &p.left)
	return p, err
}

func (p progress) String() string {
	parts := []string{count(p.taken) + " rows"}
	if p.due >= 0 {
		parts[0] = fmt.Sprintf("%s of %s rows", count(p.taken), count(p.due))
	}
	parts = append(parts, count(p.rate)+" rows/s")
	if p.left >= 0 {
		parts = append(parts, seconds(p.left)+" left")
	}
	return p.policy + ": " + p.bar() + strings.Join(parts, ", ")
}

// bar is twenty characters wide, and missing where the end is not known.
func (p progress) bar() string {
	if p.due <= 0 {
		return ""
	}
	full := int(min(20*p.taken/p.due, 20))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", 20-full) + "] "
}

// display writes lines, one over the other on a terminal.
type display struct {
	w        io.Writer
	terminal bool
}

func (d display) pause() time.Duration {
	if d.terminal {
		return interval
	}
	return sparse
}

func (d display) line(text string) {
	if d.terminal {
		fmt.Fprintf(d.w, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintln(d.w, text)
}

func (d display) clear() {
	if d.terminal {
		fmt.Fprint(d.w, "\r\x1b[K")
	}
}
