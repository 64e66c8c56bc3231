// Package verifysql holds the queries of the verifier. Each file is one statement that only reads,
// and says what it takes and returns. They run with search_path = pg_catalog.
package verifysql

import (
	"embed"
	"regexp"

	"pgretain/internal/quote"
)

//go:embed *.sql
var files embed.FS

var schemaName = regexp.MustCompile(`\bretention\.`)

// Query returns a query by its name without ".sql", with the install's schema in place of
// "retention". It panics where there is none, because the names are constants of this program.
func Query(name, schema string) string {
	text, err := files.ReadFile(name + ".sql")
	if err != nil {
		panic(err)
	}
	return schemaName.ReplaceAllLiteralString(string(text), quote.Ident(schema)+".")
}
