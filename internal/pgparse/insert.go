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
	for i := range tokens[:max(len(tokens)-1, 0)] {
		if tokens[i].is("insert") && tokens[i+1].is("into") {
			return insertion(tokens[i+2:], sql)
		}
	}
	return nil, &Error{Message: "there is no INSERT"}
}

// insertion reads the table, the columns in brackets, and as many values.
func insertion(tokens []token, sql string) (*Insert, error) {
	at := 0
	for at < len(tokens) && (tokens[at].text == "." || !tokens[at].is("values") && !tokens[at].is("select") && tokens[at].text != "(") {
		at++
	}
	insert := &Insert{}
	if at < len(tokens) && tokens[at].text == "(" {
		for at++; at < len(tokens) && tokens[at].text != ")"; at++ {
			if tokens[at].text != "," {
				insert.Columns = append(insert.Columns, tokens[at].name())
			}
		}
		insert.Values = insertValues(tokens[min(at+1, len(tokens)):], sql)
	}
	if len(insert.Columns) == 0 || len(insert.Columns) != len(insert.Values) {
		return nil, &Error{Message: "the INSERT does not give one value to every column it names"}
	}
	return insert, nil
}

// insertValues are the texts between the commas after VALUES ( or SELECT.
func insertValues(tokens []token, sql string) []string {
	start := 0
	for start < len(tokens) && !tokens[start].is("values") && !tokens[start].is("select") {
		start++
	}
	if start < len(tokens) && tokens[start].is("values") {
		start++
	}
	var values []string
	depth, from := 0, -1
	for _, t := range tokens[min(start+1, len(tokens)):] {
		depth += t.depth()
		ends := depth < 0 || depth == 0 && (t.text == "," || t.kind == query.Token_FROM || t.text == ";")
		switch {
		case ends && from >= 0:
			values, from = append(values, strings.TrimSpace(sql[from:t.start])), -1
			if t.text != "," {
				return values
			}
		case from < 0:
			from = t.start
		}
	}
	if from >= 0 {
		values = append(values, strings.TrimSpace(sql[from:tokens[len(tokens)-1].end]))
	}
	return values
}

// name is what a word or quoted word names.
func (t token) name() string {
	if quoted, ok := strings.CutPrefix(t.text, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
	}
	return strings.ToLower(t.text)
}
