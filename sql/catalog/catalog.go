// Package catalogsql holds the queries that read PostgreSQL's system catalogs. Each file is one
// statement and says what it takes and returns.
package catalogsql

import (
	"embed"

	"pgretain/internal/quote"
)

// Files are the queries, by file name.
//
//go:embed *.sql
var Files embed.FS

// Query returns a query by its name without ".sql".
func Query(name string) string { return quote.File(Files, name+".sql") }
