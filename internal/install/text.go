package install

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"pgretain/internal/quote"
)

//go:embed sql
var files embed.FS

// statements are the templates under sql: the one place where a name becomes part of a
// statement, and only through quote. Values are query parameters.
var statements = template.Must(template.New("").Funcs(template.FuncMap{
	"ident":   quote.Ident,
	"literal": quote.Literal,
	"comment": comment,
}).ParseFS(files, "sql/*.tmpl"))

// comment quotes a name for a line comment, whatever it holds.
func comment(name string) string { return strconv.Quote(name) }

// query is the text of a statement without names of the install.
func query(name string) string {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// render fills one template of sql.
func render(name string, data any) (string, error) {
	var text strings.Builder
	if err := statements.ExecuteTemplate(&text, name+".sql.tmpl", data); err != nil {
		return "", fmt.Errorf("rendering %s: %w", name, err)
	}
	return text.String(), nil
}
