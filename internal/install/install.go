// Package install applies migrations: the only part that writes to a database.
package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"pgretain/policy"
)

// Options say where the runtime lives and how patient a migration is.
type Options struct {
	Install policy.Install
	// Cron applies the migrations of the jobs, in the database where schema cron lives.
	Cron bool
	// Schedules are those that pending migrations may bring: the pg_cron at hand must take them.
	Schedules []policy.Schedule
	// Path is the migration directory as it is shown in messages.
	Path string
	// LockTimeout bounds the wait for another migration, one minute when zero.
	LockTimeout time.Duration
	// Export, when given, gets holds and run log from Down before anything is undone, one JSON object a line;
	// the holds written there may then be dropped.
	Export io.Writer
	// Progress, when given, is called after each migration.
	Progress func(Migration)
}

// schema is where the versions of the migrations are kept.
func (o Options) schema() string {
	if o.Cron {
		return o.Install.CronSchema()
	}
	return o.Install.Schema
}

// Migration is one file, or one version that the database has and the directory has not (Name
// is empty then).
type Migration struct {
	Name      string
	Version   int64
	Applied   bool
	AppliedAt time.Time     // from Status alone; zero when pending
	Duration  time.Duration // of what Up or Down just did
	// Differs: the database was migrated with another file of this number, not with this one.
	Differs bool

	state    string // that the file names, "" for a file of the user's own
	recorded string // that the applied file named, "" where nobody wrote it down
}

// Up applies every pending migration of dir, one transaction each, and returns what it applied,
// also beside an error: running it again continues there. It creates the schema and the version
// table. An error is a *CheckError, a *StatementError, several of them joined, or anything else
// that went wrong; Diagnostics makes messages of it.
func Up(ctx context.Context, url string, dir fs.FS, o Options) ([]Migration, error) {
	if err := checkPrograms(dir); err != nil {
		return nil, err
	}
	s, createSchema, err := start(ctx, url, o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.checkRecorded(ctx, o.schema()); err != nil {
		return nil, err
	}
	if err := s.createSchema(ctx, createSchema, o); err != nil {
		return nil, s.lost(ctx, err)
	}
	known, err := s.status(ctx, dir, o.schema())
	if err != nil {
		return nil, s.lost(ctx, err)
	}
	if err := checkOrder(known); err != nil {
		return nil, err
	}
	pending := slices.DeleteFunc(known, func(m Migration) bool { return m.Applied })
	return s.migrate(ctx, dir, o, pending, true)
}

// Down undoes the last step, which may be several files, or everything when all is set. The
// schema and the version table stay. Of a file without a transaction that an Up did not finish, it
// takes away what is there. Refuses to drop holds in force that were not exported.
func Down(ctx context.Context, url string, dir fs.FS, o Options, all bool) ([]Migration, error) {
	if err := checkPrograms(dir); err != nil {
		return nil, err
	}
	s, _, err := start(ctx, url, o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	known, err := s.status(ctx, dir, o.schema())
	if err != nil {
		return nil, s.lost(ctx, err)
	}
	if err := checkApplied(known); err != nil {
		return nil, err
	}
	done, whole, err := s.undoHalf(ctx, dir, o, known)
	if err != nil || whole && !all {
		return done, err
	}
	applied := slices.DeleteFunc(known, func(m Migration) bool { return !m.Applied })
	slices.Reverse(applied)
	if !all {
		applied, err = lastStep(dir, applied)
		if err != nil {
			return nil, err
		}
	}
	if err := s.keepHolds(ctx, dir, o, applied); err != nil {
		return done, s.lost(ctx, err)
	}
	more, err := s.migrate(ctx, dir, o, applied, false)
	return append(done, more...), err
}

// Status lists the migrations of dir and of the database by version. It writes nothing and takes
// no lock.
func Status(ctx context.Context, url string, dir fs.FS, o Options) ([]Migration, error) {
	s, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer s.close()
	v, err := s.inspect(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.checkVersion(ctx, v, o.schema()); err != nil {
		return nil, err
	}
	return s.status(ctx, dir, o.schema())
}

// start connects, checks and locks; the caller closes the session unless there is an error.
func start(ctx context.Context, url string, o Options) (*session, bool, error) {
	s, err := open(ctx, url)
	if err != nil {
		return nil, false, err
	}
	createSchema, err := s.ready(ctx, o)
	if err != nil {
		err = s.lost(ctx, err)
		s.close()
		return nil, false, err
	}
	return s, createSchema, nil
}

// ready checks under the lock: whoever waited for another migration sees what that one did.
func (s *session) ready(ctx context.Context, o Options) (createSchema bool, err error) {
	v, err := s.inspect(ctx, o)
	if err != nil {
		return false, err
	}
	if err := s.lock(ctx, o); err != nil {
		return false, err
	}
	if err := s.checkVersion(ctx, v, o.schema()); err != nil {
		return false, err
	}
	return s.check(ctx, v, o)
}

// createSchema makes what goose needs before its first migration, in one transaction.
func (s *session) createSchema(ctx context.Context, create bool, o Options) error {
	install, schema := o.Install, o.schema()
	exists, hasState, err := s.versionTable(ctx, schema)
	if err != nil {
		return err
	}
	text, err := render("create_schema", map[string]any{
		"CreateSchema": create, "Schema": schema, "AddState": exists && !hasState,
		"Owner": install.Roles.Owner, "Worker": install.Roles.Worker, "Runner": install.Roles.Runner,
		"Operator": install.Roles.Operator, "Viewer": install.Roles.Viewer,
	})
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("creating schema %q: %w", schema, err)
	}
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return errors.Join(fmt.Errorf("creating schema %q: %w", schema, err), tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("creating schema %q: %w", schema, err)
	}
	return nil
}
