// Package install applies migrations.
package install

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// Options say where the runtime is installed and how long a migration waits.
type Options struct {
	Install policy.Install
	// Cron applies the migrations of the jobs, in the database where schema cron is.
	Cron bool
	// Schedules are the schedules of the policy file. The installed pg_cron must accept them.
	Schedules []policy.Schedule
	// Path is the migration directory as shown in messages.
	Path string
	// LockTimeout limits the wait for another migration. Zero means one minute.
	LockTimeout time.Duration
	// Export names a new file. Before it undoes anything, Down writes holds and run log to the
	// file, one JSON object per line. It may then drop the holds in the file.
	Export string
	// All makes Down undo everything.
	All bool
	// Progress is called after each migration, unless it is nil.
	Progress func(Migration)
	// Removal is the statement that Uninstall executes: that of generator.Removal.
	Removal string
	// Prepare are the statements that create missing roles and the schema: those of
	// generator.Prepare. Up executes them if the role is a superuser.
	Prepare string
	// Warn receives warnings of the server during Up and Uninstall, unless it is nil.
	Warn func(diag.Diagnostic)
}

// schema returns the schema of the version table.
func (o Options) schema() string {
	if o.Cron {
		return o.Install.CronSchema()
	}
	return o.Install.Schema
}

// Migration is one migration file, or a version that exists only in the database. In the latter
// case Name is empty. The JSON names are those of "pgretain migrate".
type Migration struct {
	Version int64  `json:"number"`
	Name    string `json:"file,omitempty"`
	// applied, pending, undone, not recorded, or how file and database differ
	State     string `json:"state"`
	AppliedAt string `json:"applied_at,omitempty"` // set by Status only
	// duration of the call of Up or Down, in seconds
	Seconds float64 `json:"seconds,omitempty"`
	Applied bool    `json:"-"`
	// Differs means that the database was migrated with another file of this number.
	Differs bool `json:"-"`

	recorded string // state named by the applied file, "" if none was recorded
	content  string
	state    string // state named by a generated file, "" in a file of the user
	after    string // state that a generated file follows, "none" for the first one
	part     int    // number of the file in its step, from 1; 0 for a file of the user
}

// ChangesTables reports whether the migration is a file of the user that is not applied.
func (m Migration) ChangesTables() bool { return m.part == 0 && m.Name != "" && !m.Applied }

// Up applies every pending migration of dir, in one transaction each. It returns the applied
// migrations, even with an error; a second call continues there. It creates the schema and the
// version table. The error is an *Error, several of them joined, or another error. Diagnostics
// converts it to messages.
func Up(ctx context.Context, url string, dir fs.FS, o Options) ([]Migration, error) {
	return migrate(ctx, url, dir, o, true, func(s *session) ([]Migration, error) {
		if err := s.checkRecorded("up"); err != nil {
			return nil, err
		}
		known, err := s.status(ctx)
		if err != nil {
			return nil, err
		}
		if err := checkOrder(known); err != nil {
			return nil, err
		}
		pending := only(known, func(m Migration) bool { return !m.Applied })
		if s.Prepare != "" && s.server.superuser && !s.Cron {
			if err := s.script(ctx, s.Prepare); err != nil {
				return nil, err
			}
		}
		if err := s.checkSchedules(ctx); err != nil {
			return nil, err
		}
		if err := s.versions(ctx, "creating", "create_schema", s.server.schemaMissing); err != nil {
			return nil, err
		}
		if len(pending) == 0 {
			return nil, s.warnOfLosses(ctx)
		}
		return s.apply(ctx, pending, true)
	})
}

// warnOfLosses warns of indexes and columns that another program has dropped. No migration is
// pending then, so Up alone does not bring them back.
func (s *session) warnOfLosses(ctx context.Context) error {
	if s.Cron || s.Warn == nil || !s.server.registry {
		return nil
	}
	rows, _ := s.conn.Query(ctx, s.statement("lost")) // CollectRows returns the same error
	lost, err := pgx.CollectRows(rows, pgx.RowToStructByName[messages.Lost])
	if err != nil {
		return fmt.Errorf("looking for dropped indexes and columns: %w", err)
	}
	for _, one := range lost {
		s.Warn(messages.Dropped(one))
	}
	return nil
}

// Down undoes the last step, which may be several files, or everything if All is set. With All it
// drops the version table, and the schema if a later Up may create it again. For a file without a
// transaction that Up did not finish, it drops the objects that exist. Down returns an error if it
// would drop active holds that were not exported.
func Down(ctx context.Context, url string, dir fs.FS, o Options) ([]Migration, error) {
	return migrate(ctx, url, dir, o, false, func(s *session) ([]Migration, error) {
		pick := lastStep
		if o.All {
			pick = everything
		}
		if err := s.checkRecordedDown(ctx, pick); err != nil {
			return nil, err
		}
		if o.All {
			return s.empty(ctx)
		}
		return s.down(ctx, func(done, applied []Migration) []Migration {
			if len(done) > 0 && done[0].part == 1 {
				return nil
			}
			return lastStep(applied)
		})
	})
}

func everything(list []Migration) []Migration { return list }

// empty undoes all applied migrations. Then it drops the version table. It also drops the schema if
// a later Up may create it again.
func (s *session) empty(ctx context.Context) ([]Migration, error) {
	done, err := s.down(ctx, func(_, applied []Migration) []Migration { return applied })
	if err != nil || !s.server.versions {
		return done, err
	}
	return done, s.versions(ctx, "dropping", "drop_schema", s.server.mayCreateSchema)
}

// down undoes what an interrupted Up left (done). Then it undoes the migrations that pick selects
// from the applied ones, latest first.
func (s *session) down(ctx context.Context, pick func(done, applied []Migration) []Migration) ([]Migration, error) {
	known, err := s.status(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkApplied(known); err != nil {
		return nil, err
	}
	done, err := s.undoInterrupted(ctx, known)
	if err != nil {
		return done, err
	}
	applied := only(known, func(m Migration) bool { return m.Applied })
	slices.Reverse(applied)
	todo := pick(done, applied)
	if err := s.keepHolds(ctx, todo); err != nil {
		return done, err
	}
	more, err := s.apply(ctx, todo, false)
	return append(done, more...), err
}

// Status lists the migrations of dir and of the database by version. It writes nothing and takes no
// lock. If another tool, or goose with another version table, installed the runtime, the states are
// "not recorded". It returns an error if the runtime is newer than this program.
func Status(ctx context.Context, url string, dir fs.FS, o Options) (known []Migration, err error) {
	s, err := open(ctx, url, dir, o)
	if err != nil {
		return nil, err
	}
	defer s.db.Close()
	if err = s.checkVersion(ctx); err == nil {
		known, err = s.status(ctx)
	}
	return known, err
}

// migrate connects, takes the lock, checks the server and calls do. The checks run under the lock,
// because another migration may just have ended. If up is false and the schema does not exist, it
// skips all this.
func migrate(
	ctx context.Context, url string, dir fs.FS, o Options, up bool, do func(*session) ([]Migration, error),
) ([]Migration, error) {
	s, err := open(ctx, url, dir, o)
	if err != nil {
		return nil, err
	}
	defer s.db.Close() // closing the session releases the lock
	var done []Migration
	act := func(context.Context) (err error) { done, err = do(s); return err }
	for _, step := range []func(context.Context) error{s.lock, s.inspect, s.checkVersion, s.check, act} {
		if err == nil && (up || !s.server.schemaMissing) {
			err = step(ctx)
		}
	}
	return done, s.lost(ctx, err)
}

// versions creates the version table that goose needs, or drops it, with the schema if schema is
// true. If the schema contains other objects, both stay (error 2BP01). Statements that are sent
// together are one transaction.
func (s *session) versions(ctx context.Context, doing, name string, schema bool) error {
	_, err := s.conn.Exec(ctx, render(name, map[string]any{"WithSchema": schema, "Schema": s.schema(),
		"Mark":     sqlfiles.SchemaMark,
		"AddState": s.server.versions && !s.server.states, "Roles": s.Install.Roles}))
	if err != nil {
		return fmt.Errorf("%s schema %q: %w", doing, s.schema(), err)
	}
	return nil
}

// keepHolds exports holds and run log if requested. Then it refuses to undo migrations that would
// drop active holds. The migration checks this as well, but here no migration is undone yet.
func (s *session) keepHolds(ctx context.Context, todo []Migration) error {
	if err := s.export(ctx); err != nil {
		return err
	}
	drops := slices.ContainsFunc(todo, func(m Migration) bool { return strings.Contains(m.content, "._refuse_down") })
	if !drops || !s.server.runtime {
		return nil
	}
	return s.refuseHolds(ctx)
}

// refuseHolds returns an error if a hold is in force that was not exported.
func (s *session) refuseHolds(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, s.statement("refuse_down"))
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return Refusal(server.Message, server.Detail, server.Hint).because(err)
	}
	return err
}

// export writes holds and run log to the file that Options names, if it names one and the runtime
// exists.
func (s *session) export(ctx context.Context) error {
	if s.Export == "" || !s.server.runtime {
		return nil
	}
	if err := s.writeLog(ctx); err != nil {
		return fmt.Errorf("writing holds and run log: %w", err)
	}
	return nil
}

// writeLog writes one line for each row, and tells the session which holds were exported.
func (s *session) writeLog(ctx context.Context) error {
	file, err := os.OpenFile(s.Export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, _ := s.conn.Query(ctx, s.statement("export")) // ForEachRow returns the same error
	out, holds := bufio.NewWriter(file), []string{}
	var line string
	var hold *string
	_, err = pgx.ForEachRow(rows, []any{&line, &hold}, func() error {
		if hold != nil {
			holds = append(holds, *hold)
		}
		_, err := fmt.Fprintln(out, line)
		return err
	})
	if err := errors.Join(err, out.Flush(), file.Sync()); err != nil {
		return errors.Join(err, os.Remove(s.Export)) // so that the same command may be run again
	}
	_, err = s.conn.Exec(ctx, query("exported"), "{"+strings.Join(holds, ",")+"}")
	return err
}
