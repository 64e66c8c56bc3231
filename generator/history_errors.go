package generator

import (
	"errors"
	"strings"

	"pgretain/internal/diag"
)

// What can be wrong with a migration directory; HistoryError wraps one of them.
var (
	ErrEdited    = errors.New("a generated migration was edited by hand")
	ErrFork      = errors.New("two migrations follow the same state")
	ErrGap       = errors.New("a migration is missing")
	ErrOrder     = errors.New("migrations are out of order")
	ErrDuplicate = errors.New("two migrations have the same number")
	ErrMalformed = errors.New("a generated migration cannot be read")
	ErrConflict  = errors.New("a generated migration has conflict markers")
	ErrNoFork    = errors.New("the migrations do not fork there")
	ErrFormat    = errors.New("files of two migration tools")
	ErrHalf      = errors.New("a file that belongs to a migration is missing")
	ErrNewer     = errors.New("a generated migration comes from a newer pgretain")
)

// What Next refuses to write; ObjectError wraps one of them.
var (
	ErrInstall = errors.New("installed under other names")
	ErrUpgrade = errors.New("needs an upgrade migration")
	ErrText    = errors.New("text cannot be written into a migration")
	ErrTwice   = errors.New("wanted twice")
)

// HistoryError says what is wrong with which files of a migration directory. Kind is one of the
// sentinels above; Message is a diagnostic without a position, Hint a whole sentence.
type HistoryError struct {
	Kind    error
	Files   []string
	Line    int // of the last file, 0 where the file as a whole is meant
	Message string
	Hint    string
}

func (e *HistoryError) Error() string { return strings.Join(e.Files, ", ") + ": " + e.Message }

func (e *HistoryError) Unwrap() error { return e.Kind }

// Diagnostic is the error in the form of all other messages, in its last file; the message names
// the others.
func (e *HistoryError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Position: diag.Position{File: e.Files[len(e.Files)-1], Line: max(e.Line, 1), Column: 1},
		Severity: diag.Error, Message: e.Message, Hint: e.Hint,
	}
}

// ObjectError says which object cannot go into a migration, and why.
type ObjectError struct {
	Kind    error
	Object  Object
	Message string
	Hint    string
}

func (e *ObjectError) Error() string {
	return string(e.Object.Kind) + " " + quoteName(e.Object.Name) + ": " + e.Message
}

func (e *ObjectError) Unwrap() error { return e.Kind }

// Diagnostic is the error at the policy or job that wants the object.
func (e *ObjectError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Position: e.Object.Position, Severity: diag.Error, Message: e.Error(), Hint: e.Hint,
	}
}
