package install

import (
	"cmp"
	_ "embed" // hints.json
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// Error says why a migration cannot start, why its session ended, or what of a file PostgreSQL refused: of a statement
// it has PostgreSQL's own message, the SQLSTATE as Code, and where in the file the server points, counted in
// characters; of a schedule of the policy file that pg_cron does not take, the line there. It never holds a password or
// a connection string.
type Error struct {
	diagnostic
	cause error
}

// diagnostic is embedded under another name than that of the method which returns it.
type diagnostic = diag.Diagnostic

// Refusal is an error without a place: message is a short statement of fact, detail and hint are whole sentences.
func Refusal(message, detail, hint string) *Error {
	return &Error{diagnostic: diagnostic{Severity: diag.Error, Message: message, Detail: detail, Hint: hint}}
}

func (e *Error) Error() string {
	if e.Position.File == "" {
		return e.Message
	}
	return fmt.Sprintf("%s: %s [%s]", e.Position, e.Message, e.Code)
}

func (e *Error) Unwrap() error { return e.cause }

func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
}

// Diagnostic is what it says.
func (e *Error) Diagnostic() diag.Diagnostic { return e.diagnostic }

// statementError is at the place that the server names in what stands in a file from start on, or there; -1 where it is
// no statement of the file.
func statementError(file, content string, start int, server *pgconn.PgError) *Error {
	d := Said(server)
	d.Detail, d.Hint = cmp.Or(d.Detail, server.Where), cmp.Or(d.Hint, hints[d.Code])
	d.Position = diag.Position{File: file, Line: 1, Column: 1}
	if start >= 0 {
		d.Position = place(file, content, start, int(server.Position))
	}
	return &Error{d, server}
}

// Refused is the error of a file that was sent as one text.
func Refused(file, content string, server *pgconn.PgError) *Error {
	d := Said(server)
	d.Position = place(file, content, 0, int(server.Position))
	return &Error{d, server}
}

// place turns the server's position, in characters from 1 within the statement, into line and
// column of the file; 0 is the start of the statement.
// https://www.postgresql.org/docs/current/protocol-error-fields.html
func place(file, content string, start, characters int) diag.Position {
	offset := start
	for range characters - 1 {
		_, size := utf8.DecodeRuneInString(content[offset:])
		offset += size
	}
	before := content[:offset]
	lineStart := strings.LastIndex(before, "\n") + 1
	line, column := strings.Count(before, "\n")+1, utf8.RuneCountInString(before[lineStart:])+1
	return diag.Position{File: file, Line: line, Column: column, Width: 1}
}

// Said is what the server says of a statement.
func Said(server *pgconn.PgError) diag.Diagnostic {
	return diag.Diagnostic{Severity: diag.Error, Code: server.Code, Message: server.Message, Detail: server.Detail, Hint: server.Hint}
}

// Diagnostics flattens what Up, Down and Status return: one entry for each error that was joined.
func Diagnostics(err error) (list diag.List) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.Concat(lists.Map(joined.Unwrap(), Diagnostics)...)
	}
	var own interface{ Diagnostic() diag.Diagnostic }
	var server *pgconn.PgError
	switch {
	case err == nil:
	case errors.As(err, &own):
		list.Add(own.Diagnostic())
	case errors.As(err, &server):
		d := Said(server)
		d.Message = strings.Replace(err.Error(), server.Error(), server.Message, 1) // with what was being done
		list.Add(d)
	default:
		list.Add(diag.Diagnostic{Message: err.Error()})
	}
	return list
}

//go:embed hints.json
var hintsFile []byte

// hints say what to do about what a database refuses in the middle of a migration, by SQLSTATE.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var hints = func() (hints map[string]string) {
	if err := json.Unmarshal(hintsFile, &hints); err != nil {
		panic(err)
	}
	return hints
}()
