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

// Value returns the only column of the only row of a query.
func Value[T any](t testing.TB, q Querier, sql string, args ...any) (v T) {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err == nil {
		v, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	}
	failed(t, sql, err)
	return v
}

// Column returns the only column of all rows of a query. The result is never nil.
func Column[T any](t testing.TB, q Querier, sql string, args ...any) (v []T) {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err == nil {
		v, err = pgx.CollectRows(rows, pgx.RowTo[T])
	}
	failed(t, sql, err)
	return v
}

// failed fails the test with the server's error, if there is one. It shortens a long statement, so
// that the error stays visible.
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

// describe adds the detail, the hint and the context to the message of a server's error.
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
