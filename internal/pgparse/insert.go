package pgparse

import (
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
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	tokens, err := scanAll(sql)
	if err != nil {
		return nil, err
	}
	for _, raw := range tree.Stmts {
		if statement := raw.Stmt.GetInsertStmt(); statement != nil {
			insert := &Insert{Values: insertValues(tokens[after(tokens, int(raw.StmtLocation)):], sql)}
			for _, target := range statement.Cols {
				insert.Columns = append(insert.Columns, target.GetResTarget().Name)
			}
			if len(insert.Columns) != len(insert.Values) {
				return nil, &Error{Message: "the INSERT does not give one value to every column it names"}
			}
			return insert, nil
		}
	}
	return nil, &Error{Message: "there is no INSERT"}
}

func after(tokens []token, offset int) int {
	for i, t := range tokens {
		if t.start >= offset {
			return i
		}
	}
	return len(tokens)
}

// insertValues are the texts between the commas after VALUES ( or SELECT.
func insertValues(tokens []token, sql string) []string {
	start := 0
	for start < len(tokens) && !strings.EqualFold(tokens[start].text, "values") && !strings.EqualFold(tokens[start].text, "select") {
		start++
	}
	if start < len(tokens) && strings.EqualFold(tokens[start].text, "values") {
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
		values = append(values, strings.TrimSpace(sql[from:]))
	}
	return values
}
