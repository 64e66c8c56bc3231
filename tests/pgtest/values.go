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
func Value[T any](t testing.TB, q Querier, sql string, args ...any) T {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	var v T
	if err == nil {
		v, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	}
	if err != nil {
		t.Fatalf("running %s: %v", abbreviate(sql), describe(err))
	}
	return v
}

// Column is the only column of all rows, never nil.
func Column[T any](t testing.TB, q Querier, sql string, args ...any) []T {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	var v []T
	if err == nil {
		v, err = pgx.CollectRows(rows, pgx.RowTo[T])
	}
	if err != nil {
		t.Fatalf("running %s: %v", abbreviate(sql), describe(err))
	}
	return v
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

// abbreviate keeps long SQL out of the first line of a message.
func abbreviate(sql string) string {
	line := strings.Join(strings.Fields(sql), " ")
	if runes := []rune(line); len(runes) > 120 {
		return string(runes[:120]) + "..."
	}
	return line
}
