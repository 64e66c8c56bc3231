package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
)

// watch follows a run over a second connection: the first one is busy running.
type watch struct {
	*session
	pid  uint32
	last int64 // the last run before ours
}

const (
	quiet    = time.Second            // runs under this show nothing
	interval = 250 * time.Millisecond // between two looks, on a terminal
	sparse   = 5 * time.Second        // between two lines in a file
)

// begin shows progress until stop is called; the connection is free for other questions afterwards. Ctrl-C cancels the run,
// not our view of how it ends.
func (w *watch) begin(ctx context.Context, d display) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.show(ctx, d)
	}()
	return func() {
		cancel()
		<-done
	}
}

// show looks again and again until ctx ends. What it cannot read it does not show: the run itself
// reports what is wrong.
func (w *watch) show(ctx context.Context, d display) {
	defer d.clear()
	pause := sparse
	if d.width > 0 {
		pause = interval
	}
	for next := time.After(quiet); ; next = time.After(pause) {
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
		p, err := w.progress(ctx)
		if err == nil {
			d.line(p.String())
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return
		}
	}
}

// progress is one look at a run; due and left are negative where unknown.
type progress struct {
	policy           string
	due, taken, rate int64
	left             seconds
	waited           string
}

func (w *watch) progress(ctx context.Context) (p progress, err error) {
	// The display's end must not cancel a look and with it the connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = w.row(ctx, "progress", w.pid).Scan(&p.policy, &p.due, &p.taken, &p.rate, &p.left, &p.waited)
	return p, err
}

func (p progress) String() string {
	taken := count(p.taken)
	if p.due >= 0 {
		taken += " of " + count(p.due)
	}
	text := fmt.Sprintf("%s: %s rows, %s rows/s", p.policy, taken, count(p.rate))
	if p.left >= 0 {
		text += fmt.Sprintf(", %s left", p.left)
	}
	if p.waited != "" {
		text += ", " + p.waited
	}
	return text
}

// runs reads what the watched backend has run. It works after Ctrl-C too.
func (w *watch) runs() ([]outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	return rows[outcome](ctx, w.session, "runs", w.pid, w.last)
}

// display writes lines, one over the other on a terminal.
type display struct {
	w     io.Writer
	width int // of the terminal; 0 for none
}

// line cuts what is too long for the terminal: a line that is broken into two could not be written over.
func (d display) line(text string) {
	if d.width == 0 {
		fmt.Fprintln(d.w, text)
		return
	}
	letters := []rune(text)
	fmt.Fprintf(d.w, "\r\x1b[K%s", string(letters[:min(len(letters), d.width-1)]))
}

func (d display) clear() {
	if d.width > 0 {
		fmt.Fprint(d.w, "\r\x1b[K")
	}
}
