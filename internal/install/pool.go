package install

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// refusePool returns an error if the server is a pool that gives the transactions of one client to
// several sessions, such as PgBouncer in transaction mode. A migration needs one session for its
// lock. A run needs one for its settings, and settings would stay in sessions of other clients.
//
// A pool tells the client another process ID than the session has. For a pool, refusePool opens a
// second connection and compares the sessions of both. It cannot tell if the pool gives no second
// session within poolWait, as in session mode with a pool of one session.
func refusePool(ctx context.Context, conn *pgconn.PgConn, config *pgconn.Config) error {
	session, err := backend(ctx, conn)
	if err != nil || session == conn.PID() {
		return err
	}
	other := config.Copy()
	other.AfterConnect = nil
	limited, cancel := context.WithTimeout(ctx, poolWait)
	defer cancel()
	second, err := pgconn.ConnectConfig(limited, other)
	if err != nil {
		return ctx.Err()
	}
	defer second.Close(context.WithoutCancel(limited))
	for i := range 4 { // other clients may take the session in between
		theirs, err := backend(limited, second)
		if err != nil {
			return ctx.Err()
		}
		ours := session
		for range i%2 + 1 { // twice in every second round, for a pool that gives two sessions in turn
			if ours, err = backend(ctx, conn); err != nil {
				return err
			}
		}
		if ours != session || theirs == session {
			return Refusal("the server is a pool in which clients share sessions",
				"Settings, locks and temporary objects need a session of their own.",
				"Connect to PostgreSQL itself, or to a pool in session mode, such as PgBouncer with "+
					"pool_mode = session.")
		}
	}
	return nil
}

// poolWait is how long a pool may take to give a second session.
const poolWait = 3 * time.Second

// backend returns the process ID of the session that answers.
func backend(ctx context.Context, conn *pgconn.PgConn) (uint32, error) {
	results, err := conn.Exec(ctx, "SELECT pg_catalog.pg_backend_pid()").ReadAll()
	if err != nil {
		return 0, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return 0, errors.New("reading the process ID of the session: no row")
	}
	pid, err := strconv.ParseUint(string(results[0].Rows[0][0]), 10, 32)
	return uint32(pid), err
}
