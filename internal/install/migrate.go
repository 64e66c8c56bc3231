package install

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// store is goose's store. It also records the state that a migration file names.
type store struct {
	database.Store
	record, state string
}

// Insert runs in the migration's transaction, if there is one.
func (s store) Insert(ctx context.Context, db database.DBTxConn, version database.InsertRequest) error {
	_, err := db.ExecContext(ctx, s.record, version.Version, s.state)
	return err
}

// TableExists returns true, because the table was created together with its schema. goose's own
// method would search the catalog for the quoted name and not find it.
func (store) TableExists(context.Context, database.DBTxConn) (bool, error) { return true, nil }

// apply runs the given migrations one by one and returns those that succeeded.
func (s *session) apply(ctx context.Context, todo []Migration, up bool) (done []Migration, err error) {
	for _, m := range todo {
		start := time.Now()
		if err := s.run(ctx, m, up); err != nil {
			return done, s.explain(ctx, m, err)
		}
		m.Applied, m.AppliedAt, m.Seconds = up, "", time.Since(start).Seconds()
		m.State = map[bool]string{true: "applied", false: "undone"}[up]
		done = append(done, m)
		if s.Progress != nil {
			s.Progress(m)
		}
	}
	return done, nil
}

// run lets goose execute one direction of a file and record the result. If Up is interrupted, goose
// records nothing, even if objects were created.
func (s *session) run(ctx context.Context, m Migration, up bool) error {
	// While a generated file waits for a lock, other sessions queue behind it, so its wait is
	// limited. An index build blocks no writers, and must wait for old snapshots without a limit. A
	// generated file sets further settings itself. For a file of the user, there is no limit.
	settings := "no_lock_timeout"
	if m.part == 0 {
		settings = "own_file"
	} else if m.inTransaction() {
		settings = "lock_timeout"
	}
	if _, err := s.conn.Exec(ctx, query(settings)); err != nil {
		return err
	}
	versions, err := database.NewStore(database.DialectPostgres, quote.Qualified(s.schema(), "goose_db_version"))
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectCustom, s.db, s.dir, goose.WithDisableVersioning(!up && !m.Applied),
		goose.WithStore(store{versions, s.statement("record"), m.state}))
	if err != nil {
		return err
	}
	s.running, s.rest = m, m.content
	if !up {
		s.rest = m.down()
	}
	_, err = provider.ApplyVersion(ctx, m.Version, up)
	return err
}

// find returns the offset at which a statement that goose executes begins in the file. Several
// statements may have the same text, so find searches only the part of the file that was not sent
// yet. It returns -1 if goose has changed the text.
func (s *session) find(text string) int {
	before, after, found := strings.Cut(s.rest, text)
	if !found {
		return -1
	}
	start := len(s.running.content) - len(s.rest) + len(before)
	s.rest = after
	return start
}

// ExecContext executes a text that goose treats as one statement. For the server, the text may
// contain several statements.
func (l link) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 { // goose's own statement, not one of the file
		return l.Conn.ExecContext(ctx, text, args)
	}
	s, start := l.s, l.s.find(text)
	results, done := s.conn.PgConn().Exec(ctx, text), 0
	for results.NextResult() {
		if _, err := results.ResultReader().Close(); err == nil {
			done++
		}
	}
	err := results.Close()
	if server, refused := errors.AsType[*pgconn.PgError](err); refused {
		if start >= 0 && server.Position == 0 {
			// the server does not always report the position
			start += pgparse.StatementOffset(text, done)
		}
		err = statementError(path.Join(s.Path, s.running.Name), s.running.content, start, server)
	}
	return driver.ResultNoRows, err
}

// explain adds the file to an error. For an error outside the file's statements it uses
// PostgreSQL's message.
func (s *session) explain(ctx context.Context, m Migration, err error) error {
	file := path.Join(s.Path, m.Name)
	own, placed := errors.AsType[*Error](err)
	server, refused := errors.AsType[*pgconn.PgError](err)
	partial, failed := errors.AsType[*goose.PartialError](err)
	switch {
	case ctx.Err() != nil:
		return Refusal("interrupted while migrating "+file, "", "Run the command again: it goes on with this file.").
			because(ctx.Err())
	case placed:
		return own
	case refused:
		return statementError(file, m.content, -1, server)
	case failed:
		err = partial.Err
	}
	return fmt.Errorf("migrating %s: %w", file, err)
}

// undoInterrupted removes the objects that an interrupted Up has left, if its file runs without a
// transaction. The version table does not record that such a file was begun. undoInterrupted
// returns that file, or no file. If the file is the first of its step, the step is then undone.
func (s *session) undoInterrupted(ctx context.Context, known []Migration) ([]Migration, error) {
	next := 1 // index of the file with which Up would continue
	for next < len(known) && (!known[next-1].Applied || known[next].Applied) {
		next++
	}
	if next >= len(known) || known[next].part == 0 || known[next].inTransaction() {
		return nil, nil
	}
	var begun bool
	err := s.row(ctx, "looking for indexes", "begun", []any{known[next].content}, &begun)
	if err != nil || !begun {
		return nil, err
	}
	return s.apply(ctx, known[next:next+1], false)
}

// head matches the second and third line of a generated file.
var head = regexp.MustCompile(
	`^.*\n-- pgretain: state ([0-9a-f]+) after (\w+).*\n-- pgretain: part ([0-9]+) of [0-9]+\n`)

// noTransactionLine matches the line that makes goose execute a file's statements one by one.
var noTransactionLine = regexp.MustCompile(`(?mi)^--[ \t]*\+goose[ \t]+no[ \t]+transaction[ \t]*$`)

func (m Migration) inTransaction() bool { return !noTransactionLine.MatchString(m.content) }

// downLine matches the line that begins Down.
var downLine = regexp.MustCompile(`(?mi)^--[ \t]*\+goose[ \t]+down[ \t]*$`)

// down returns the text below the line that downLine matches.
func (m Migration) down() string { return strings.Join(downLine.Split(m.content, 2)[1:], "") }

// status merges the files of dir with the version table.
func (s *session) status(ctx context.Context) ([]Migration, error) {
	applied, err := s.applied(ctx)
	if err != nil {
		return nil, err
	}
	paths, _ := fs.Glob(s.dir, "*.sql") // the pattern is well formed
	all := []Migration{}
	for _, name := range paths {
		version, err := goose.NumericComponent(name)
		if err != nil {
			continue // goose also ignores such a file
		}
		content, err := fs.ReadFile(s.dir, name)
		if err != nil {
			return nil, fmt.Errorf("reading migration: %w", err)
		}
		m, ok := applied[version]
		m.Name, m.Version, m.content = name, version, strings.ReplaceAll(string(content), "\r\n", "\n")
		if said := head.FindStringSubmatch(m.content); said != nil {
			m.state, m.after = said[1], said[2]
			m.part, _ = strconv.Atoi(said[3]) // the pattern matches digits only
		}
		m.Differs = ok && m.recorded != "" && m.recorded != m.state
		switch {
		case m.Differs:
			m.State = "applied from another file"
		case ok:
			m.State = "applied"
		case s.recorded():
			m.State = "pending"
		default:
			m.State = "not recorded"
		}
		all = append(all, m)
		delete(applied, version)
	}
	all = slices.AppendSeq(all, maps.Values(applied))
	slices.SortFunc(all, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })
	return squashed(all), nil
}

// squashed accepts a directory whose first step replaces earlier steps. It compares the state after
// the first step with what the database recorded for the number of its last file. If they are
// equal, the database has everything up to this number, from whatever generated files. Then the
// files of the step count as applied, and the numbers of files that are gone are left out.
func squashed(all []Migration) []Migration {
	step := only(all, func(m Migration) bool { return m.part > 0 })
	n := 0
	for n < len(step) && step[n].part == n+1 {
		n++
	}
	if n == 0 || step[0].after != "none" {
		return all
	}
	last := step[n-1]
	if !last.Applied || last.recorded != last.state {
		return all
	}
	all = slices.DeleteFunc(all, func(m Migration) bool {
		return m.Name == "" && m.recorded != "" && m.Version < last.Version
	})
	for i := range all {
		if m := &all[i]; m.part > 0 && m.Version < last.Version {
			m.Applied, m.Differs, m.State = true, false, "applied"
		}
	}
	return all
}

// applied reads the version table. It returns an empty map if the table does not exist.
func (s *session) applied(ctx context.Context) (map[int64]Migration, error) {
	versions := map[int64]Migration{}
	if !s.server.versions {
		return versions, nil
	}
	rows, _ := s.conn.Query(ctx, s.statement("applied")) // ForEachRow returns the same error
	m := Migration{Applied: true, State: "not in " + path.Base(s.Path)}
	_, err := pgx.ForEachRow(rows, []any{&m.Version, &m.AppliedAt, &m.recorded}, func() error {
		versions[m.Version] = m
		return nil
	})
	if err != nil {
		err = fmt.Errorf("reading the version table: %w", err)
	}
	return versions, err
}

// lastStep returns the files of the last step from the applied migrations, latest first.
func lastStep(applied []Migration) []Migration {
	n := min(1, len(applied))
	for n > 0 && n < len(applied) && applied[n-1].part > 1 && applied[n].part == applied[n-1].part-1 {
		n++
	}
	return applied[:n]
}
