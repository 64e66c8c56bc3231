package install

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// keepHolds writes holds and run log where the caller wants that, then asks whether what is to be undone
// would drop holds in force. That file asks again by itself; asked before the first, all stays as it is.
func (s *session) keepHolds(ctx context.Context, dir fs.FS, o Options, todo []Migration) error {
	drops := false
	for _, m := range todo {
		content, err := fs.ReadFile(dir, m.Name)
		if err != nil {
			return fmt.Errorf("reading migration: %w", err)
		}
		drops = drops || bytes.Contains(content, []byte("PERFORM "+o.schema()+"._refuse_down();"))
	}
	if o.Export != nil {
		if err := s.export(ctx, o); err != nil {
			return fmt.Errorf("writing holds and run log: %w", err)
		}
	}
	if !drops {
		return nil
	}
	return s.refuseDown(ctx, o)
}

// refuseDown says which holds are in force.
func (s *session) refuseDown(ctx context.Context, o Options) error {
	ask, err := render("refuse_down", map[string]any{"Schema": o.schema()})
	if err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, query("impatient")); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, ask)
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return &CheckError{Message: server.Message, Detail: server.Detail, Hint: server.Hint, cause: err}
	}
	return err
}

// export writes a line for each row, and tells the session which holds are among them.
func (s *session) export(ctx context.Context, o Options) error {
	text, err := render("export", map[string]any{"Schema": o.schema()})
	if err != nil {
		return err
	}
	rows, err := s.db.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	out, holds := bufio.NewWriter(o.Export), []string{}
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
	if err := errors.Join(rows.Err(), rows.Close(), out.Flush(), sync(o.Export)); err != nil {
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
