package pgparse

import (
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Insert is an INSERT of one row: a value, as it is written, for every column.
type Insert struct {
	Columns []string
	Values  []string
}

// ParseInsert takes the first INSERT ... VALUES or INSERT ... SELECT of a text apart; the text may
// hold other statements after it. The error is an *Error.
func ParseInsert(sql string) (*Insert, error) {
	// What stands behind the values need not be read. A cut through a literal is an error of the scanner.
	values, _, _ := strings.Cut(sql, "\nON CONFLICT ")
	tokens, err := scanAll(values)
	if err != nil {
		if tokens, err = scanAll(sql); err != nil {
			return nil, err
		}
	}
	tokens = slices.DeleteFunc(tokens, token.comment)
	start := 1
	for start < len(tokens) && !(tokens[start].is("into") && tokens[start-1].is("insert")) {
		start++
	}
	if start >= len(tokens) {
		return nil, &Error{Message: "there is no INSERT"}
	}
	insert := &Insert{}
	columns, rest := brackets(tokens[start:])
	for _, span := range columns {
		insert.Columns = append(insert.Columns, span[0].name())
	}
	var list [][]token
	switch {
	case len(rest) > 0 && rest[0].is("values"):
		list, _ = brackets(rest)
	case len(rest) > 1 && rest[0].is("select"):
		list, _ = listed(rest[1:])
	}
	for _, span := range list {
		insert.Values = append(insert.Values, sql[span[0].start:span[len(span)-1].end])
	}
	if len(insert.Columns) == 0 || len(insert.Columns) != len(insert.Values) {
		return nil, &Error{Message: "the INSERT does not give one value to every column it names"}
	}
	return insert, nil
}

// brackets are the items of the first list in brackets, and what stands behind it.
func brackets(tokens []token) (items [][]token, rest []token) {
	open := slices.IndexFunc(tokens, func(t token) bool { return t.text == "(" })
	if open < 0 {
		return nil, nil
	}
	return listed(tokens[open+1:])
}

// listed are the items of a list up to its closing bracket, FROM or the statement's end, and what stands behind it.
func listed(tokens []token) (items [][]token, rest []token) {
	depth := 0
	end := slices.IndexFunc(tokens, func(t token) bool {
		depth += t.depth()
		return depth < 0 || depth == 0 && (t.kind == query.Token_FROM || t.text == ";")
	})
	if end < 0 {
		end = len(tokens)
	}
	items = slices.DeleteFunc(split(tokens[:end]), func(span []token) bool { return len(span) == 0 })
	return items, tokens[min(end+1, len(tokens)):]
}

// name is what a word or quoted word names.
func (t token) name() string {
	if quoted, ok := strings.CutPrefix(t.text, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
	}
	return strings.ToLower(t.text)
}
