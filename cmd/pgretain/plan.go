package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	catalogsql "pgretain/sql/catalog"
)

// plan lets the server plan every expression of the policy, in a transaction that reads only: what it
// refuses is said with the line of the policy.
func (p *project) plan(ctx context.Context, conn *pgx.Conn, snapshot *catalog.Snapshot) error {
	var list diag.List
	for _, check := range generator.Checks(p.file, snapshot) {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, catalogsql.Query("search_path"), p.searchPath()); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, check.SQL)
			return err
		})
		server := (*pgconn.PgError)(nil)
		if errors.As(err, &server) && refused(server.Code) {
			list.Add(diag.Diagnostic{Position: check.Expr.Position, Code: generator.CodeExpression,
				Message: server.Message, Detail: server.Detail, Hint: server.Hint})
		} else if err != nil && server == nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &problems{list.Unique(), p.sources}
}

// refused says whether an error is about the expression: its syntax, names, types or values, and not
// about the rights of whoever asks.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func refused(sqlstate string) bool {
	return strings.HasPrefix(sqlstate, "22") || strings.HasPrefix(sqlstate, "42") && sqlstate != "42501"
}

// searchPath is the path that generated functions have.
func (p *project) searchPath() string {
	names := []string{"pg_catalog"}
	for _, name := range append(p.file.Install.SearchPath, "pg_temp") {
		names = append(names, quote.Ident(name))
	}
	return strings.Join(names, ", ")
}
