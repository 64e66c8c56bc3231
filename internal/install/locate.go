package install

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
)

var downLine = regexp.MustCompile(`(?mi)^--[ \t]*\+goose[ \t]+down[ \t]*$`)

// statementError finds the failed statement in its file.
func statementError(file, content string, up bool, t *trace, server *pgconn.PgError) *StatementError {
	d := Said(server)
	d.Detail, d.Hint = cmp.Or(d.Detail, server.Where), cmp.Or(d.Hint, hints[d.Code])
	d.Position = diag.Position{File: file, Line: 1, Column: 1}
	if start := find(content, up, t.last, t.times); start >= 0 {
		if server.Position == 0 {
			start += statementAt(t.last, t.done)
		}
		d.Position = place(file, content, start, int(server.Position))
	}
	return &StatementError{d, server}
}

// Refused is the error of a file that was sent as one text.
func Refused(file, content string, server *pgconn.PgError) *StatementError {
	d := Said(server)
	d.Position = place(file, content, 0, int(server.Position))
	return &StatementError{d, server}
}

// find is the byte offset of the times-th occurrence of statement in the part that was running,
// -1 when goose itself sent it.
func find(content string, up bool, statement string, times int) int {
	from, to := 0, len(content)
	if down := downLine.FindStringIndex(content); down != nil {
		if up {
			to = down[0]
		} else {
			from = down[1]
		}
	}
	if statement == "" {
		return -1
	}
	at := -1
	for range max(times, 1) {
		next := strings.Index(content[from:to], statement)
		if next < 0 {
			return at
		}
		at = from + next
		from = at + len(statement)
	}
	return at
}

// statementAt is where in a text of several statements the one after the first n begins, below its comments.
func statementAt(text string, n int) int {
	statements, err := pgparse.Statements(text)
	if err != nil || n >= len(statements) {
		return 0
	}
	at := 0
	for i, statement := range statements[:n+1] {
		at += strings.Index(text[at:], statement)
		if i < n {
			at += len(statement)
		}
	}
	for strings.HasPrefix(text[at:], "--") || strings.HasPrefix(text[at:], "\n") {
		_, rest, _ := strings.Cut(text[at:], "\n")
		at = len(text) - len(rest)
	}
	return at
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
	return diag.Position{
		File:   file,
		Line:   strings.Count(before, "\n") + 1,
		Column: utf8.RuneCountInString(before[lineStart:]) + 1,
		Width:  1,
	}
}
