package main

import (
	"embed"
	"strings"

	"pgretain/internal/quote"
)

//go:embed sql/*.sql
var statementFiles embed.FS

// statement is a file of sql with the schema of the install in place of the default one. Values
// are query parameters.
func statement(name, schema string) string {
	text, err := statementFiles.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(text), "retention.", quote.Ident(schema)+".")
}
