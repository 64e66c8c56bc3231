package pgparse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Statements splits a text into its statements, without semicolons and surrounding space. A
// comment before a statement stays with it. The error is an *Error.
func Statements(sql string) ([]string, error) {
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	var statements []string
	for _, raw := range tree.Stmts {
		start, end := int(raw.StmtLocation), int(raw.StmtLocation+raw.StmtLen)
		if raw.StmtLen == 0 {
			end = len(sql)
		}
		statements = append(statements, strings.TrimSpace(sql[start:end]))
	}
	return statements, nil
}

// PLpgSQL checks the syntax of the bodies of the plpgsql functions that a text creates. The
// error carries the parser's words.
func PLpgSQL(createFunction string) error {
	if err := plainText(createFunction); err != nil {
		return err
	}
	result, err := grammarPLpgSQL(createFunction)
	if err != nil {
		return placed(err, "", createFunction)
	}
	var functions []json.RawMessage
	if err := json.Unmarshal([]byte(result), &functions); err != nil {
		return fmt.Errorf("reading the parsed plpgsql: %w", err)
	}
	if len(functions) == 0 {
		return &Error{Message: "there is no plpgsql function"}
	}
	return nil
}

// Edit replaces Length bytes at Offset by Text; Length 0 inserts.
type Edit struct {
	Offset, Length int
	Text           string
}

// Splice applies edits, whose offsets are those of the unchanged sql, in any order. Edits at one
// offset keep theirs. It panics when two overlap or one lies outside: that is a mistake of the
// caller, and half an edit would be wrong SQL.
func Splice(sql string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Offset, b.Offset) })
	var out strings.Builder
	done := 0
	for _, e := range edits {
		if e.Offset < done || e.Length < 0 || e.Offset+e.Length > len(sql) {
			panic(fmt.Sprintf("pgparse: edit at %d overlaps or lies outside", e.Offset))
		}
		out.WriteString(sql[done:e.Offset])
		out.WriteString(e.Text)
		done = e.Offset + e.Length
	}
	out.WriteString(sql[done:])
	return out.String()
}
