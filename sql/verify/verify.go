// Package verifysql holds the queries of the verifier. Each file is one statement that only reads,
// and says what it takes and returns. It returns facts; package messages puts them into words. The
// queries run with search_path = pg_catalog.
package verifysql

import (
	"embed"

	"pgretain/internal/quote"
)

//go:embed *.sql
var files embed.FS

// Query returns a query by its name without ".sql", with the install's schema in place of
// "retention".
func Query(name, schema string) string {
	return quote.InSchema(files, name+".sql", schema)
}
