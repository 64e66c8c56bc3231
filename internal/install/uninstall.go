package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/lists"
)

// Uninstall removes pgretain from the database of url, in whatever state the database is. It does
// not need the migrations: dir only tells which versions are not the user's. First it drops indexes
// CONCURRENTLY, one after another. Then it removes everything else in one transaction. It drops the
// version table and the schema, unless migrations of the user are recorded there. A second call
// continues.
// It returns an error if it would drop active holds that were not exported, if the runtime is newer
// than this program, or if an object of the user depends on pgretain. Statements that the migrating
// role may not execute go to Warn. With Cron it removes only the jobs.
// Locks: ACCESS EXCLUSIVE on partitioned tables that have an index of pgretain and on tables that
// have a column of "ensure", for at most 10 s each, until the transaction ends.
func Uninstall(ctx context.Context, url string, dir fs.FS, o Options) error {
	s, err := open(ctx, url, dir, o)
	if err != nil {
		return err
	}
	defer s.db.Close() // closing the session releases the lock
	steps := []func(context.Context) error{s.lock, s.inspect, s.checkVersion, s.writable, s.export}
	if s.Cron {
		steps = append(steps, s.removeJobs)
	} else {
		steps = append(steps, s.checkRemoval, s.removeIndexes, s.remove)
	}
	for _, step := range append(steps, s.forget) {
		if err == nil {
			err = step(ctx)
		}
	}
	return s.lost(ctx, err)
}

func (s *session) writable(context.Context) error {
	if s.server.standby {
		return Standby()
	}
	return nil
}

// checkRemoval returns an error if a hold is in force that was not exported, or if the schema has
// objects of the user.
func (s *session) checkRemoval(ctx context.Context) error {
	return s.script(ctx, "SET LOCAL pgretain.only_check = on;\n"+s.Removal)
}

// removeIndexes drops the indexes of tables that are not partitioned.
func (s *session) removeIndexes(ctx context.Context) error {
	rows, _ := s.conn.Query(ctx, query("removed_indexes")) // CollectRows returns the same error
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("looking for indexes to drop: %w", err)
	}
	if _, err := s.conn.Exec(ctx, query("no_lock_timeout")); err != nil {
		return err
	}
	for _, statement := range statements {
		_, err := s.conn.Exec(ctx, statement)
		if server, refused := errors.AsType[*pgconn.PgError](err); refused && server.Code == "42501" {
			continue // the next step warns of it
		} else if err != nil {
			return fmt.Errorf("executing %s: %w", statement, err)
		}
	}
	return nil
}

// remove drops everything else, and revokes the worker's privileges.
func (s *session) remove(ctx context.Context) error {
	return s.script(ctx, s.Removal)
}

// removeJobs unschedules the jobs of an install in another database.
func (s *session) removeJobs(ctx context.Context) error {
	return s.script(ctx, render("remove_jobs", map[string]any{
		"Runner": s.Install.Roles.Runner, "Prefix": s.Install.CronJobPrefix()}))
}

// script executes statements in one transaction. Warnings go to Warn.
func (s *session) script(ctx context.Context, statements string) error {
	_, err := s.conn.PgConn().Exec(ctx, query("lock_timeout")+statements).ReadAll()
	if server, refused := errors.AsType[*pgconn.PgError](err); refused {
		return Refusal(server.Message, server.Detail, server.Hint).because(err)
	}
	return err
}

// forget removes the record of generated migrations. If no other is left, it drops the version
// table and the schema.
func (s *session) forget(ctx context.Context) error {
	if err := s.inspect(ctx); err != nil || !s.server.versions {
		return err
	}
	known, err := s.status(ctx)
	if err != nil {
		return err
	}
	own := only(known, func(m Migration) bool { return m.Applied && m.part == 0 && m.recorded == "" })
	if len(own) == 0 {
		return s.versions(ctx, "dropping", "drop_schema", true)
	}
	kept := lists.Map(own, func(m Migration) int64 { return m.Version })
	_, err = s.conn.Exec(ctx, s.statement("forget"), kept)
	return err
}
