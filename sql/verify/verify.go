// Package verifysql holds the queries of the verifier. Each file is one statement that only reads,
// and says what it takes and returns. They run with search_path = pg_catalog.
package verifysql

import (
	"embed"
	"regexp"
	"strings"

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

// CountQuery calls the count function of a policy.
func CountQuery(schema, policy string) string {
	function := regexp.MustCompile(`\bpolicy_count\b`)
	return function.ReplaceAllLiteralString(Query("count", schema), quote.Ident(policy+"_count"))
}

// RowQuery compares a registry row with values, which are SQL that the generator wrote; the key is
// the value of the first column.
func RowQuery(schema, table string, columns, values []string) string {
	rows := make([]string, len(columns))
	for i, column := range columns {
		live := "r." + quote.Ident(column)
		rows[i] = "(" + quote.Literal(column) + ", " + live + " IS DISTINCT FROM (" + values[i] + "), (" + values[i] + ")::text, " + live + "::text)"
	}
	return strings.NewReplacer(
		"registry_table", quote.Qualified(schema, table),
		"registry_columns", strings.Join(rows, ",\n    "),
		"registry_key", "r."+quote.Ident(columns[0])+" IS NOT DISTINCT FROM ("+values[0]+")",
	).Replace(Query("row", schema))
}
