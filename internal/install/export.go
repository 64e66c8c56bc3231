package install

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// keepHolds writes holds and run log where the caller wants that, then asks whether what is to be undone
// would drop holds in force. That file asks again by itself; asked before the first, all stays as it is.
func (s *session) keepHolds(ctx context.Context, todo []Migration) error {
	if s.Export != nil && s.server.runtime {
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
	return s.refuseDown(ctx)
}

// refuseDown says which holds are in force.
func (s *session) refuseDown(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, query("lock_timeout")); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, s.statement("refuse_down"))
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return &CheckError{Message: server.Message, Detail: server.Detail, Hint: server.Hint, cause: err}
	}
	return err
}

// export writes a line for each row, and tells the session which holds are among them.
func (s *session) export(ctx context.Context) error {
	rows, err := s.db.QueryContext(ctx, s.statement("export"))
	if err != nil {
		return err
	}
	defer rows.Close()
	out, holds := bufio.NewWriter(s.Export), []string{}
	for rows.Next() {
		var line string
		var hold sql.NullString
		if err := rows.Scan(&line, &hold); err != nil {
			return err
		}
		if hold.Valid {
			holds = append(holds, hold.String)
		}
		fmt.Fprintln(out, line) // Flush says what went wrong
	}
	if err := errors.Join(rows.Err(), rows.Close(), out.Flush(), sync(s.Export)); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, query("exported"), "{"+strings.Join(holds, ",")+"}")
	return err
}

// sync waits until the disk has what a file was given.
func sync(w io.Writer) error {
	if file, ok := w.(interface{ Sync() error }); ok {
		return file.Sync()
	}
	return nil
}
