// Package install applies migrations: the only part that writes to a database.
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

	"pgretain/policy"
)

// Options say where the runtime lives and how long a migration waits.
type Options struct {
	Install policy.Install
	// Cron applies the migrations of the jobs, in the database where schema cron lives.
	Cron bool
	// Schedules are those of the policy file: the pg_cron at hand must take them.
	Schedules []policy.Schedule
	// Path is the migration directory as it is shown in messages.
	Path string
	// LockTimeout bounds the wait for another migration, one minute when zero.
	LockTimeout time.Duration
	// Export names a new file, which gets holds and run log from Down before anything is undone, one JSON object a line;
	// the holds written there may then be dropped.
	Export string
	// All has Down undo everything.
	All bool
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
// is empty then), in the form of the JSON of "pgretain migrate".
type Migration struct {
	Version   int64   `json:"number"`
	Name      string  `json:"file,omitempty"`
	State     string  `json:"state"`                // applied, pending or undone, not recorded, or how the two differ
	AppliedAt string  `json:"applied_at,omitempty"` // from Status alone
	Seconds   float64 `json:"seconds,omitempty"`    // of what Up or Down just did
	Applied   bool    `json:"-"`
	// Differs: the database was migrated with another file of this number, not with this one.
	Differs bool `json:"-"`

	recorded string // the state that the applied file named, "" where none was recorded
	content  string
	state    string // what a generated file says of itself, "" in one of the user's own
	part     int    // which file of its step it is, from 1; 0 for one of the user's own
}

// Up applies every pending migration of dir, one transaction each, and returns what it applied,
// also beside an error: running it again continues there. It creates the schema and the version
// table. An error is an *Error, several of them joined, or anything else
// that went wrong; Diagnostics makes messages of it.
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
		if err := s.checkSchedules(ctx); err != nil {
			return nil, err
		}
		if err := s.versions(ctx, "creating", "create_schema", s.server.schemaMissing); err != nil {
			return nil, err
		}
		return s.apply(ctx, pending, true)
	})
}

// Down undoes the last step, which may be several files, or everything when All is set: then the version table and the
// schema go, too, if a later Up may create the schema again. Of a file without a transaction that an Up did not finish, it
// takes away what is there. Refuses to drop holds in force that were not exported.
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
			return s.empty(ctx, s.server.mayCreateSchema, func(Migration) bool { return false })
		}
		return s.down(ctx, func(done, applied []Migration) []Migration {
			if len(done) > 0 && done[0].part == 1 {
				return nil
			}
			return lastStep(applied)
		})
	})
}

// Uninstall undoes every generated migration, and drops the version table and the schema unless migrations of the user's
// own are applied, which stay so. Refuses as Down does.
func Uninstall(ctx context.Context, url string, dir fs.FS, o Options) ([]Migration, error) {
	return migrate(ctx, url, dir, o, false, func(s *session) ([]Migration, error) {
		if err := s.checkRecordedDown(ctx, everything); err != nil {
			return nil, err
		}
		return s.empty(ctx, true, func(m Migration) bool { return m.part == 0 })
	})
}

// everything returns all migrations of a list.
func everything(list []Migration) []Migration { return list }

// empty undoes the applied migrations but those that stay. Where none does, the version table goes, and the schema.
func (s *session) empty(ctx context.Context, schema bool, stays func(Migration) bool) ([]Migration, error) {
	left := false
	done, err := s.down(ctx, func(_, applied []Migration) []Migration {
		left = slices.ContainsFunc(applied, stays)
		return slices.DeleteFunc(applied, stays)
	})
	if err != nil || left || !s.server.versions {
		return done, err
	}
	return done, s.versions(ctx, "dropping", "drop_schema", schema)
}

// down undoes what an interrupted Up left (done), and of the applied migrations, latest first, those that pick returns.
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

// Status lists the migrations of dir and of the database by version, where this program knows the runtime. It writes
// nothing and takes no lock. Where another tool, or goose with another version table, installed the runtime, nothing is
// recorded, and nothing is known to be pending.
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

// migrate connects, locks, checks under the lock, since another migration may just have ended, and calls do; on the way
// back only where there is a schema.
func migrate(
	ctx context.Context, url string, dir fs.FS, o Options, up bool, do func(*session) ([]Migration, error),
) ([]Migration, error) {
	s, err := open(ctx, url, dir, o)
	if err != nil {
		return nil, err
	}
	defer s.db.Close() // and with it the lock
	var done []Migration
	act := func(context.Context) (err error) { done, err = do(s); return err }
	for _, step := range []func(context.Context) error{s.lock, s.inspect, s.checkVersion, s.check, act} {
		if err == nil && (up || !s.server.schemaMissing) {
			err = step(ctx)
		}
	}
	return done, s.lost(ctx, err)
}

// schemaMark is the comment of a schema that was made for us. Any other was there before, and stays.
const schemaMark = "Made by pgretain, which drops it with its last migration."

// versions creates what goose needs before its first migration, or drops that, with the schema or without; what else is
// in the schema by now keeps both (2BP01). Statements that are sent at once are one transaction.
func (s *session) versions(ctx context.Context, doing, name string, schema bool) error {
	_, err := s.conn.Exec(ctx, render(name, map[string]any{"WithSchema": schema, "Schema": s.schema(), "Mark": schemaMark,
		"AddState": s.server.versions && !s.server.states, "Roles": s.Install.Roles}))
	if err != nil {
		return fmt.Errorf("%s schema %q: %w", doing, s.schema(), err)
	}
	return nil
}

// keepHolds writes holds and run log where the caller wants that, then asks whether what is to be undone
// would drop holds in force. That file asks again by itself; asked before the first, all stays as it is.
func (s *session) keepHolds(ctx context.Context, todo []Migration) error {
	if s.Export != "" && s.server.runtime {
		if err := s.export(ctx); err != nil {
			return fmt.Errorf("writing holds and run log: %w", err)
		}
	}
	drops := slices.ContainsFunc(todo, func(m Migration) bool {
		return strings.Contains(m.content, "PERFORM "+s.schema()+"._refuse_down();")
	})
	if !drops {
		return nil
	}
	_, err := s.conn.Exec(ctx, s.statement("refuse_down"))
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return Refusal(server.Message, server.Detail, server.Hint).because(err)
	}
	return err
}

// export writes a line for each row, and tells the session which holds are among them.
func (s *session) export(ctx context.Context) error {
	file, err := os.OpenFile(s.Export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, _ := s.conn.Query(ctx, s.statement("export")) // rows give the same error
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
