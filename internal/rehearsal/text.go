package rehearsal

import (
	"embed"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
)

//go:embed sql/*.sql
var files embed.FS

// text is a file of sql.
func text(name string) string {
	content, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(content)
}

// inSchema is text with the schema of the install in place of the default one.
func inSchema(name, schema string) string {
	return strings.ReplaceAll(text(name), "retention.", quote.Ident(schema)+".")
}

// missing says how to get plpgsql_check where the server has it not.
func missing(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) && (server.Code == "0A000" || server.Code == "58P01") { // feature_not_supported, undefined_file
		return &sandbox.MissingError{
			What: "no extension plpgsql_check for the PostgreSQL of the sandbox",
			Hint: "On Debian and Ubuntu run .ci/setup, or install postgresql-<version>-plpgsql-check for the version of this server.",
		}
	}
	return err
}
