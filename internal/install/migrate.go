package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
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

// migrate runs the given migrations one by one and returns those that succeeded.
func (s *session) migrate(ctx context.Context, dir fs.FS, o Options, todo []Migration, up bool) ([]Migration, error) {
	var done []Migration
	if len(todo) == 0 {
		return nil, nil
	}
	provider, err := s.provider(dir, o.schema(), todo)
	if err != nil {
		return nil, err
	}
	for _, m := range todo {
		if err := s.patience(ctx, dir, m.Name); err != nil {
			return done, s.lost(ctx, err)
		}
		s.trace.reset()
		result, err := provider.ApplyVersion(ctx, m.Version, up)
		if err != nil {
			return done, s.explain(ctx, dir, o, m, up, err)
		}
		m.Applied, m.AppliedAt, m.Duration = up, time.Time{}, result.Duration
		done = append(done, m)
		if o.Progress != nil {
			o.Progress(m)
		}
	}
	return done, nil
}

func (s *session) provider(dir fs.FS, schema string, todo []Migration, more ...goose.ProviderOption) (*goose.Provider, error) {
	versions, err := database.NewStore(database.DialectPostgres, quote.Qualified(schema, "goose_db_version"))
	if err != nil {
		return nil, fmt.Errorf("preparing migrations: %w", err)
	}
	record, err := render("record", map[string]any{"Schema": schema})
	if err != nil {
		return nil, err
	}
	states := map[int64]string{}
	for _, m := range todo {
		states[m.Version] = m.state
	}
	provider, err := goose.NewProvider(goose.DialectCustom, s.db, dir, append(more, goose.WithStore(store{versions, record, states}),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))...)
	if err != nil {
		return nil, fmt.Errorf("reading migrations: %w", err)
	}
	return provider, nil
}

// explain makes of goose's error what PostgreSQL said, and where.
func (s *session) explain(ctx context.Context, dir fs.FS, o Options, m Migration, up bool, err error) error {
	if ctx.Err() != nil {
		return interrupted(path.Join(o.Path, m.Name), ctx.Err())
	}
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			err = partial.Err
		}
		return s.lost(ctx, fmt.Errorf("migrating %s: %w", path.Join(o.Path, m.Name), err))
	}
	content, readErr := fs.ReadFile(dir, m.Name)
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	return statementError(path.Join(o.Path, m.Name), string(content), up, s.trace, server)
}
