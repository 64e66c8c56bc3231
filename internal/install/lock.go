package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// pollInterval is how often a waiting migrator asks for the lock.
const pollInterval = 200 * time.Millisecond

// lock takes the session advisory lock of the install or says who has it. Between two attempts
// the session is idle: it holds no snapshot, so an index build in another session does not wait for it.
func (s *session) lock(ctx context.Context) error {
	timeout := cmp.Or(s.LockTimeout, time.Minute)
	deadline, poll := time.After(timeout), time.Tick(pollInterval)
	for {
		var locked bool
		if err := s.row(ctx, "taking the migration lock", "try_lock", []any{s.schema()}, &locked); err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return s.lockedBy(ctx, timeout)
		case <-poll:
		}
	}
}

// lockedBy names the session that holds the lock.
func (s *session) lockedBy(ctx context.Context, waited time.Duration) error {
	var pid int
	var user, application string
	err := s.row(ctx, "looking for the holder of the migration lock", "lock_holder", []any{s.schema()}, &pid, &user, &application)
	if errors.Is(err, pgx.ErrNoRows) {
		return &CheckError{
			Message: fmt.Sprintf("another migration of schema %q is running", s.schema()),
			Detail:  fmt.Sprintf("Waited %s for its lock; it has ended just now.", waited),
			Hint:    "Run the command again.",
		}
	}
	if err != nil {
		return err
	}
	return &CheckError{
		Message: fmt.Sprintf("another migration of schema %q is running in pid %d", s.schema(), pid),
		Detail:  fmt.Sprintf("Waited %s for its lock, which is held by role %q, application %q.", waited, user, application),
		Hint:    fmt.Sprintf("Wait for it to end; SELECT * FROM pg_stat_activity WHERE pid = %d shows what it does.", pid),
	}
}
