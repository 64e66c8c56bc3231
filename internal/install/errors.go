package install

import (
	"cmp"
	_ "embed" // for hints.json
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

// Error says why a migration cannot start, why its session ended, or what PostgreSQL refused. For a
// statement of a file it has PostgreSQL's message, the SQLSTATE as Code, and the position in the
// file in characters. For a schedule that pg_cron refuses it has the line of the policy file. It
// never contains a password or a connection string.
type Error struct {
	diagnostic
	cause error
}

// diagnostic is an alias, because the method Diagnostic has the name of the type.
type diagnostic = diag.Diagnostic

// Refusal returns an error without a position. The message is a short fact. Detail and hint are
// whole sentences.
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

// Diagnostic returns the error as a diagnostic.
func (e *Error) Diagnostic() diag.Diagnostic { return e.diagnostic }

// statementError returns an error with the position that the server reports, converted to a
// position in the file. The parameter "start" is the byte at which the statement begins in the
// file. If the server reports no position, the error has this beginning as its position. A start of
// -1 means that the statement is not in the file.
func statementError(file, content string, start int, server *pgconn.PgError) *Error {
	d := Said(server)
	d.Detail, d.Hint = cmp.Or(d.Detail, server.Where), cmp.Or(d.Hint, hints[d.Code.String()])
	d.Position = diag.Position{File: file, Line: 1, Column: 1}
	if start >= 0 {
		d.Position = place(file, content, start, int(server.Position))
	}
	return &Error{d, server}
}

// Refused returns the error of a file that was sent as one text.
func Refused(file, content string, server *pgconn.PgError) *Error {
	d := Said(server)
	d.Position = place(file, content, 0, int(server.Position))
	return &Error{d, server}
}

// place converts the server's position to line and column of the file. The server counts the
// characters of the statement from 1. Position 0 means the start of the statement.
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

// Said returns an error of the server as a diagnostic.
func Said(server *pgconn.PgError) diag.Diagnostic {
	return diag.Diagnostic{Severity: diag.Error, Code: diag.SQLState(server.Code), Message: server.Message,
		Detail: server.Detail,
		Hint:   server.Hint}
}

// Diagnostics converts an error of Up, Down or Status to one entry for each error that was joined.
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
		// this keeps the part of the message that describes the failed action
		d.Message = strings.Replace(err.Error(), server.Error(), server.Message, 1)
		list.Add(d)
	default:
		list.Add(diag.Diagnostic{Message: err.Error()})
	}
	return list
}

//go:embed hints.json
var hintsFile []byte

// hints maps an SQLSTATE to a hint, for errors in the middle of a migration.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var hints = func() (hints map[string]string) {
	if err := json.Unmarshal(hintsFile, &hints); err != nil {
		panic(err)
	}
	return hints
}()
