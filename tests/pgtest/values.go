package pgtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Querier is a session, a transaction or a DB.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Value is the only column of the only row.
func Value[T any](t testing.TB, q Querier, sql string, args ...any) (v T) {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err == nil {
		v, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	}
	failed(t, sql, err)
	return v
}

// Column is the only column of all rows, never nil.
func Column[T any](t testing.TB, q Querier, sql string, args ...any) (v []T) {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err == nil {
		v, err = pgx.CollectRows(rows, pgx.RowTo[T])
	}
	failed(t, sql, err)
	return v
}

// failed ends the test with what the server says of a statement; long ones are shortened, so that
// the message is seen.
func failed(t testing.TB, sql string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	line := []rune(strings.Join(strings.Fields(sql), " "))
	if len(line) > 120 {
		line = append(line[:120], []rune("...")...)
	}
	t.Fatalf("running %s: %v", string(line), describe(err))
}

// describe adds what the server says beyond the message.
func describe(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return err
	}
	for _, more := range []struct{ name, text string }{
		{"detail", pgErr.Detail}, {"hint", pgErr.Hint}, {"where", pgErr.Where},
	} {
		if more.text != "" {
			err = fmt.Errorf("%w\n%s: %s", err, more.name, more.text)
		}
	}
	return err
}
