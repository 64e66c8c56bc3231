package install

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
)

// CheckError says why a migration cannot start, or why its session ended. Message is a short statement of fact, Detail and
// Hint are whole sentences. It never holds a password or a connection string.
type CheckError struct {
	Message, Detail, Hint string
	cause                 error
}

func (e *CheckError) Error() string { return e.Message }

func (e *CheckError) Unwrap() error { return e.cause }

// Diagnostic is the error without a position.
func (e *CheckError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Severity: diag.Error, Message: e.Message, Detail: e.Detail, Hint: e.Hint}
}

// StatementError is a statement of a migration that PostgreSQL refused: its own message, the
// SQLSTATE as Code, and where in the file the server points, counted in characters.
type StatementError struct {
	Position                    diag.Position
	Message, Code, Detail, Hint string
	cause                       error
}

func (e *StatementError) Error() string {
	p := e.Position
	return fmt.Sprintf("%s:%d:%d: %s [%s]", p.File, p.Line, p.Column, e.Message, e.Code)
}

func (e *StatementError) Unwrap() error { return e.cause }

// Diagnostic is the error with its position.
func (e *StatementError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Position: e.Position, Severity: diag.Error, Code: e.Code,
		Message: e.Message, Detail: e.Detail, Hint: e.Hint,
	}
}

// Diagnostics flattens what Up, Down and Status return: one entry for each error that was joined.
func Diagnostics(err error) diag.List {
	var list diag.List
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			list = append(list, Diagnostics(one)...)
		}
		return list
	}
	var own interface{ Diagnostic() diag.Diagnostic }
	var server *pgconn.PgError
	switch {
	case err == nil:
	case errors.As(err, &own):
		list.Add(own.Diagnostic())
	case errors.As(err, &server):
		context, _, _ := strings.Cut(err.Error(), ": "+server.Error())
		list.Add(diag.Diagnostic{Code: server.Code, Message: context + ": " + server.Message, Detail: server.Detail, Hint: server.Hint})
	default:
		list.Add(diag.Diagnostic{Message: err.Error()})
	}
	return list
}
