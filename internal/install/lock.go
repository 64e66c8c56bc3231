package install

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// pollInterval is how often a waiting migrator asks for the lock.
const pollInterval = 200 * time.Millisecond

// lock takes the session advisory lock of the install or says who has it. Between two attempts
// the session is idle: it holds no snapshot, so an index build elsewhere does not wait for it.
func (s *session) lock(ctx context.Context, o Options) error {
	timeout := o.LockTimeout
	if timeout == 0 {
		timeout = time.Minute
	}
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		var locked bool
		if err := s.db.QueryRowContext(ctx, query("try_lock"), o.schema()).Scan(&locked); err != nil {
			return fmt.Errorf("taking the migration lock: %w", err)
		}
		if locked {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.C:
			return s.lockedBy(ctx, o.schema(), timeout)
		case <-poll.C:
		}
	}
}

// lockedBy names the session that holds the lock.
func (s *session) lockedBy(ctx context.Context, schema string, waited time.Duration) error {
	var pid int
	var user, application string
	err := s.db.QueryRowContext(ctx, query("lock_holder"), schema).Scan(&pid, &user, &application)
	if errors.Is(err, sql.ErrNoRows) {
		return &CheckError{
			Message: fmt.Sprintf("another migration of schema %q is running", schema),
			Detail:  fmt.Sprintf("Waited %s for its lock; it has ended just now.", waited),
			Hint:    "Run the command again.",
		}
	}
	if err != nil {
		return fmt.Errorf("looking for the holder of the migration lock: %w", err)
	}
	return &CheckError{
		Message: fmt.Sprintf("another migration of schema %q is running in pid %d", schema, pid),
		Detail:  fmt.Sprintf("Waited %s for its lock, which is held by role %q, application %q.", waited, user, application),
		Hint:    fmt.Sprintf("Wait for it to end; SELECT * FROM pg_stat_activity WHERE pid = %d shows what it does.", pid),
	}
}
