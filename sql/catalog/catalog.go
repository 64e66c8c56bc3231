// Package catalogsql holds the queries that read PostgreSQL's system catalogs. Each file is one
// statement and says what it takes and returns.
package catalogsql

import "embed"

// Files are the queries, by file name.
//
//go:embed *.sql
var Files embed.FS

// Query returns a query by its name without ".sql". It panics where there is none, because the
// names are constants of this program.
func Query(name string) string {
	text, err := Files.ReadFile(name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(text)
}
