package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Token is one word, sign, literal or comment of a text, as the server's scanner sees it.
type Token struct {
	Offset  int
	Text    string
	Comment bool
}

// Quoted says whether the text stands in single or double quotes, with or without a prefix.
func (t Token) Quoted() bool {
	return !t.Comment && strings.ContainsAny(t.Text[len(t.Text)-1:], `'"`)
}

// Tokens splits a text of one or more statements. The error is an *Error.
func Tokens(sql string) ([]Token, error) {
	scanned, err := scanAll(sql)
	if err != nil {
		return nil, err
	}
	tokens := make([]Token, 0, len(scanned))
	for _, t := range scanned {
		comment := t.kind == query.Token_SQL_COMMENT || t.kind == query.Token_C_COMMENT
		tokens = append(tokens, Token{Offset: t.start, Text: t.text, Comment: comment})
	}
	return tokens, nil
}
