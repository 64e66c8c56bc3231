package main

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/sandbox"
)

// withStandby calls do while a hot standby follows the server.
func (s *session) withStandby(ctx context.Context, do func() error) error {
	options := s.server.Options
	options.Settings = maps.Clone(options.Settings)
	options.Settings["wal_receiver_status_interval"] = "1s"
	options.Data = func(standby *sandbox.Server) *exec.Cmd {
		return standby.Command(ctx, "pg_basebackup", "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
			"--pgdata="+standby.DataDir(), "--host="+s.server.Dir(), "--port=5432", "--username=postgres")
	}
	standby, err := sandbox.Start(ctx, options)
	if err != nil {
		return err
	}
	if s.standby, err = pgx.Connect(ctx, standby.URL("", "")); err == nil {
		err = errors.Join(do(), s.standby.Close(ctx))
	}
	s.standby = nil
	return errors.Join(err, standby.Stop())
}

// lagging calls do. If there is a standby, it lags by more than a second when do begins, and
// resumes replay one second later.
func (d *database) lagging(ctx context.Context, do func() error) error {
	if d.standby == nil {
		return do()
	}
	if _, err := d.standby.Exec(ctx, "SELECT pg_wal_replay_pause()"); err != nil {
		return err
	}
	if err := until(ctx, d.conn, query("lags")); err != nil {
		return err
	}
	resumed := make(chan error, 1)
	go func() {
		<-time.After(time.Second)
		_, err := d.standby.Exec(ctx, "SELECT pg_wal_replay_resume()")
		resumed <- err
	}()
	return errors.Join(do(), <-resumed)
}

// caughtUp waits until the standby, if there is one, has replayed all WAL.
func (d *database) caughtUp(ctx context.Context) error {
	if d.standby == nil {
		return nil
	}
	var written string
	if err := d.conn.QueryRow(ctx, "SELECT pg_current_wal_flush_lsn()::text").Scan(&written); err != nil {
		return err
	}
	return until(ctx, d.standby, "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", written)
}

// until executes a query repeatedly until it returns true.
func until(ctx context.Context, conn *pgx.Conn, sql string, args ...any) error {
	for {
		var come bool
		if err := conn.QueryRow(ctx, sql, args...).Scan(&come); err != nil || come {
			return err
		}
		<-time.After(20 * time.Millisecond)
	}
}
