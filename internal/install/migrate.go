package install

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"pgretain/internal/quote"
)

// store is goose's own with a quoted table name, which goose would not find in the catalog. It
// writes down with each version which state the file names.
type store struct {
	database.Store
	record string
	states map[int64]string
}

// Insert is part of the migration's transaction, where it has one.
func (s store) Insert(ctx context.Context, db database.DBTxConn, version database.InsertRequest) error {
	if _, err := db.ExecContext(ctx, s.record, version.Version, s.states[version.Version]); err != nil {
		return fmt.Errorf("recording version %d: %w", version.Version, err)
	}
	return nil
}

// TableExists is true: the table was created together with its schema.
func (store) TableExists(context.Context, database.DBTxConn) (bool, error) { return true, nil }

// provider is goose, for the given migrations.
func (s *session) provider(todo []Migration, more ...goose.ProviderOption) (*goose.Provider, error) {
	versions, err := database.NewStore(database.DialectPostgres, quote.Qualified(s.schema(), "goose_db_version"))
	if err != nil {
		return nil, fmt.Errorf("preparing migrations: %w", err)
	}
	states := map[int64]string{}
	for _, m := range todo {
		states[m.Version] = m.state
	}
	provider, err := goose.NewProvider(goose.DialectCustom, s.db, s.dir, append(more, goose.WithStore(store{versions, s.statement("record"), states}),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))...)
	if err != nil {
		return nil, fmt.Errorf("reading migrations: %w", err)
	}
	return provider, nil
}

// apply runs the given migrations one by one and returns those that succeeded.
func (s *session) apply(ctx context.Context, todo []Migration, up bool, more ...goose.ProviderOption) ([]Migration, error) {
	if len(todo) == 0 {
		return nil, nil
	}
	provider, err := s.provider(todo, more...)
	if err != nil {
		return nil, err
	}
	var done []Migration
	for _, m := range todo {
		if err := s.setLockTimeout(ctx, m); err != nil {
			return done, err
		}
		s.trace.reset()
		start := time.Now()
		if _, err := provider.ApplyVersion(ctx, m.Version, up); err != nil {
			return done, s.explain(ctx, m, up, err)
		}
		m.Applied, m.AppliedAt, m.Duration = up, time.Time{}, time.Since(start)
		done = append(done, m)
		if s.Progress != nil {
			s.Progress(m)
		}
	}
	return done, nil
}

// setLockTimeout bounds what one of our files waits for a lock, and so how long others wait behind it. An index
// build blocks no writers, and must be able to wait for old snapshots as long as it takes. A file says
// itself what it needs beyond that; a file of the user's own is not ours to bound.
func (s *session) setLockTimeout(ctx context.Context, m Migration) error {
	timeout := "no_lock_timeout"
	if m.part > 0 && m.inTransaction() {
		timeout = "lock_timeout"
	}
	_, err := s.conn.Exec(ctx, query(timeout))
	return err
}

// explain makes of goose's error what PostgreSQL said, and where.
func (s *session) explain(ctx context.Context, m Migration, up bool, err error) error {
	file := path.Join(s.Path, m.Name)
	if ctx.Err() != nil {
		return &CheckError{
			Message: "interrupted while migrating " + file,
			Hint:    "Run the command again: it goes on with this file.",
			cause:   ctx.Err(),
		}
	}
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return statementError(file, m.content, up, &s.trace, server)
	}
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		err = partial.Err
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
	return s.apply(ctx, []Migration{m}, false, goose.WithDisableVersioning(true))
}

// indexLine is how the head of a generated file names an index that it builds or drops.
var indexLine = regexp.MustCompile(`(?m)^--   ([+-]) index (".*")$`)

// begun says whether an index is there that the file builds, or is not there, or not valid, that it drops.
func (s *session) begun(ctx context.Context, content string) (bool, error) {
	var built, dropped []string
	for _, found := range indexLine.FindAllStringSubmatch(content, -1) {
		name, err := strconv.Unquote(found[2])
		switch {
		case err != nil:
			return false, fmt.Errorf("reading migration: index name %s: %w", found[2], err)
		case found[1] == "+":
			built = append(built, name)
		default:
			dropped = append(dropped, name)
		}
	}
	var begun bool
	err := s.row(ctx, "looking for indexes", "begun", []any{built, dropped}, &begun)
	return begun, err
}
