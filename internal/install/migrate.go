package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/pgparse"
)

// piece is what of a file is sent at once, and where it is there.
type piece struct {
	text string
	at   int
}

// annotation is a line that goose reads. https://pressly.github.io/goose/documentation/annotations/
var annotation = regexp.MustCompile(`(?mi)^[ \t]*--[ \t]*\+goose[ \t]+(.*?)[ \t]*$`)

// way is Up or Down of a file. It refuses what goose would not execute in the same way: statements are told apart by
// PostgreSQL's own parser, so that those lines say nothing that stand around one.
func (m Migration) way(up bool) (piece, error) {
	words, starts, ends := []string{}, []int{}, []int{}
	for _, at := range annotation.FindAllStringSubmatchIndex(m.content, -1) {
		switch word := strings.ToUpper(m.content[at[2]:at[3]]); word {
		case "STATEMENTBEGIN", "STATEMENTEND", "NO TRANSACTION":
		default:
			words, starts, ends = append(words, word), append(starts, at[1]), append(ends, at[0])
		}
	}
	ends = append(ends, len(m.content))
	order := strings.Join(words, ", ")
	above, err := pgparse.Statements(m.content[:ends[0]])
	switch {
	case order != "UP" && order != "UP, DOWN" || len(above) > 0 || err != nil:
		return piece{}, &CheckError{
			Message: m.Name + " is not a migration that \"pgretain migrate\" can apply",
			Detail:  "Its annotations are " + cmp.Or(order, "none") + ".",
			Hint: "Let it hold \"-- +goose Up\", its statements below that, then \"-- +goose Down\", " +
				"and of goose's other annotations no ENVSUB.",
		}
	case up:
		return piece{m.content[starts[0]:ends[1]], starts[0]}, nil
	case len(starts) == 1:
		return piece{}, nil
	}
	return piece{m.content[starts[1]:], starts[1]}, nil
}

// statements are those of a piece, each below its comments.
func (p piece) statements() (list []piece, err error) {
	texts, err := pgparse.Statements(p.text)
	rest := p.text
	for _, text := range texts {
		_, rest, _ = strings.Cut(rest, text)
		end := p.at + len(p.text) - len(rest)
		for strings.HasPrefix(text, "--") || strings.HasPrefix(text, "\n") {
			_, text, _ = strings.Cut(text, "\n")
		}
		list = append(list, piece{text, end - len(text)})
	}
	return list, err
}

// apply runs the given migrations one by one and returns those that succeeded.
func (s *session) apply(ctx context.Context, todo []Migration, up bool) (done []Migration, err error) {
	for _, m := range todo {
		start := time.Now()
		if err := s.run(ctx, m, up); err != nil {
			return done, s.explain(ctx, m, err)
		}
		m.Applied, m.AppliedAt, m.Duration = up, time.Time{}, time.Since(start)
		done = append(done, m)
		if s.Progress != nil {
			s.Progress(m)
		}
	}
	return done, nil
}

// run executes a way of a file and records that: in one transaction as one text, or statement by statement.
func (s *session) run(ctx context.Context, m Migration, up bool) error {
	// How long one of our files waits for a lock is how long others wait behind it. An index build blocks no writers, and
	// must be able to wait for old snapshots as long as it takes. A file says itself what it needs beyond that; a file of
	// the user's own is not ours to bound.
	timeout := "no_lock_timeout"
	if m.part > 0 && m.inTransaction() {
		timeout = "lock_timeout"
	}
	if _, err := s.conn.Exec(ctx, query(timeout)); err != nil {
		return err
	}
	way, err := m.way(up)
	if err != nil {
		return err
	}
	pieces := []piece{way}
	if split, err := way.statements(); err == nil && !m.inTransaction() { // of others the server says what is wrong
		pieces = split
	}
	work := func(pgx.Tx) error {
		for _, p := range pieces {
			if err := s.send(ctx, m, p); err != nil {
				return err
			}
		}
		statement, args := "forget", []any{m.Version}
		if up {
			statement, args = "record", []any{m.Version, m.state}
		}
		_, err := s.conn.Exec(ctx, s.statement(statement), args...)
		return err
	}
	if !m.inTransaction() {
		return work(nil)
	}
	return pgx.BeginFunc(ctx, s.conn, work)
}

// send executes a piece of a file. The server says which statements are done, and of an error not always where it is:
// then it is in the next one.
func (s *session) send(ctx context.Context, m Migration, p piece) error {
	results, done := s.conn.PgConn().Exec(ctx, p.text), 0
	for results.NextResult() {
		if _, err := results.ResultReader().Close(); err == nil {
			done++
		}
	}
	err := results.Close()
	server, refused := errors.AsType[*pgconn.PgError](err)
	if !refused {
		return err
	}
	start := p.at
	if statements, err := p.statements(); err == nil && server.Position == 0 && done < len(statements) {
		start = statements[done].at
	}
	return statementError(path.Join(s.Path, m.Name), m.content, start, server)
}

// explain says which file failed, and what PostgreSQL says where it is no statement of the file that it refuses.
func (s *session) explain(ctx context.Context, m Migration, err error) error {
	file := path.Join(s.Path, m.Name)
	var own interface{ Diagnostic() diagnostic }
	server, refused := errors.AsType[*pgconn.PgError](err)
	switch {
	case ctx.Err() != nil:
		return &CheckError{
			Message: "interrupted while migrating " + file,
			Hint:    "Run the command again: it goes on with this file.",
			cause:   ctx.Err(),
		}
	case errors.As(err, &own):
		return err
	case refused:
		return statementError(file, m.content, -1, server)
	}
	return fmt.Errorf("migrating %s: %w", file, err)
}

// undoInterrupted takes away what an interrupted Up left of a file without a transaction: the version table
// does not know that the file was begun. It returns that file, or none; where it is the first of its step, the step is
// undone then.
func (s *session) undoInterrupted(ctx context.Context, known []Migration) ([]Migration, error) {
	next := 1 // the file that Up would go on with
	for next < len(known) && (!known[next-1].Applied || known[next].Applied) {
		next++
	}
	if next >= len(known) || known[next].part == 0 || known[next].inTransaction() {
		return nil, nil
	}
	m := known[next]
	if begun, err := s.begun(ctx, m.content); err != nil || !begun {
		return nil, err
	}
	return s.apply(ctx, []Migration{m}, false)
}

// indexLine is how the head of a generated file names an index that it builds or drops.
var indexLine = regexp.MustCompile(`(?m)^--   ([+-]) index (".*")$`)

// begun says whether an index is there that the file builds, or is not there, or not valid, that it drops.
func (s *session) begun(ctx context.Context, content string) (begun bool, err error) {
	names := map[string][]string{}
	for _, found := range indexLine.FindAllStringSubmatch(content, -1) {
		name, err := strconv.Unquote(found[2])
		if err != nil {
			return false, fmt.Errorf("reading migration: index name %s: %w", found[2], err)
		}
		names[found[1]] = append(names[found[1]], name)
	}
	err = s.row(ctx, "looking for indexes", "begun", []any{names["+"], names["-"]}, &begun)
	return begun, err
}
