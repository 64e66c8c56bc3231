package install

import (
	"embed"
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
	"comment": strconv.Quote, // for a line comment, whatever a name holds
}).ParseFS(files, "sql/*.tmpl"))

// query is the text of a statement without names of the install.
func query(name string) string { return quote.File(files, "sql/"+name+".sql") }

// render fills one template of sql, whose names are constants of this program.
func render(name string, data map[string]any) string {
	var text strings.Builder
	if err := statements.ExecuteTemplate(&text, name+".sql.tmpl", data); err != nil {
		panic(err)
	}
	return text.String()
}

// statement is a template that takes the schema alone.
func (s *session) statement(name string) string {
	return render(name, map[string]any{"Schema": s.schema()})
}
