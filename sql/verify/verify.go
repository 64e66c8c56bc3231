// Package verifysql holds the queries of the verifier. Each file is one statement that only reads,
// and says what it takes and returns. They run with search_path = pg_catalog.
package verifysql

import (
	"embed"
	"regexp"
	"strconv"
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

// RowValue is what a column of a registry table is where a page writes it as JSON, for RowsQuery.
func RowValue(schema, table, column, encoded string) string {
	_, text, _ := strings.Cut(Query("row_value", schema), "\n")
	return strings.NewReplacer(
		"registry_table", quote.Qualified(schema, table), "registry_column", quote.Ident(column),
		"registry_value", quote.Literal("{"+strconv.Quote(column)+": "+encoded+"}"),
	).Replace(strings.TrimSuffix(text, "\n"))
}

// RowsQuery finds rows of a registry table that are not as their values, which are SQL that the generator wrote; the key
// is the first column.
func RowsQuery(schema, table string, columns []string, rows [][]string) string {
	names, typed, comparisons := make([]string, len(columns)), make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		names[i] = quote.Ident(column)
		typed[i] = "typed." + names[i]
		comparisons[i] = "(" + strconv.Itoa(i) + ", " + quote.Literal(column) + ", r." + names[i] + " IS DISTINCT FROM w." + names[i] + ", w." + names[i] + "::text, r." + names[i] + "::text)"
	}
	values := make([]string, len(rows)+1)
	values[0] = "(0, " + strings.Join(typed, ", ") + ")"
	for i, row := range rows {
		values[i+1] = "(" + strconv.Itoa(i+1) + ", " + strings.Join(row, ", ") + ")"
	}
	return strings.NewReplacer(
		"registry_table", quote.Qualified(schema, table), "registry_kind", table,
		"registry_columns", strings.Join(names, ", "),
		"registry_values", strings.Join(values, ",\n    "),
		"registry_comparisons", strings.Join(comparisons, ",\n    "),
		"registry_key", names[0],
	).Replace(Query("rows", schema))
}
