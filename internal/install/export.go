package install

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
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
	_, err := s.conn.Exec(ctx, s.statement("refuse_down"))
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &CheckError{Message: server.Message, Detail: server.Detail, Hint: server.Hint, cause: err}
	}
	return err
}

// export writes a line for each row, and tells the session which holds are among them.
func (s *session) export(ctx context.Context) error {
	rows, _ := s.conn.Query(ctx, s.statement("export")) // rows give the same error
	out, holds := bufio.NewWriter(s.Export), []string{}
	var line string
	var hold *string
	_, err := pgx.ForEachRow(rows, []any{&line, &hold}, func() error {
		if hold != nil {
			holds = append(holds, *hold)
		}
		_, err := fmt.Fprintln(out, line)
		return err
	})
	if err := errors.Join(err, out.Flush(), sync(s.Export)); err != nil {
		return err
	}
	_, err = s.conn.Exec(ctx, query("exported"), "{"+strings.Join(holds, ",")+"}")
	return err
}

// sync waits until the disk has what a file was given.
func sync(w io.Writer) error {
	if file, ok := w.(interface{ Sync() error }); ok {
		return file.Sync()
	}
	return nil
}
