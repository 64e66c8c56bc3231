package pgparse

import (
	"strings"
	"unicode/utf8"

	query "github.com/pganalyze/pg_query_go/v6"
)

// parse reads prefix+sql+suffix; offsets of errors are those of sql.
func parse(prefix, sql, suffix string) (*query.ParseResult, *Error) {
	if err := plainText(sql); err != nil {
		return nil, err
	}
	tree, err := grammarParse(prefix + sql + suffix)
	if err != nil {
		return nil, placed(err, prefix, sql)
	}
	return tree, nil
}

// plainText refuses what the parser cannot be handed: it takes C strings in UTF-8.
func plainText(sql string) *Error {
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return &Error{Message: "a NUL character is not allowed", Offset: i}
	}
	if !utf8.ValidString(sql) {
		return &Error{Message: "text is not valid UTF-8", Offset: 0}
	}
	return nil
}

// placed turns the parser's 1-based character position into a byte offset of sql.
func placed(err error, prefix, sql string) *Error {
	message, character := position(err)
	offset := 0
	for i := range prefix + sql {
		if character <= 1 {
			break
		}
		character--
		offset = i + utf8.RuneLen(decode(prefix+sql, i))
	}
	offset -= len(prefix)
	return &Error{Message: message, Offset: min(max(offset, 0), len(sql))}
}

func decode(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

// token is one word of the scanner, with its text.
type token struct {
	kind       query.Token
	start, end int
	text       string
	reserved   bool // cannot stand as a plain identifier everywhere
}

// scan splits sql into tokens and refuses comments: what a template places behind one would be
// commented out, and they have a place in YAML.
func scan(sql string) ([]token, *Error) {
	tokens, err := scanAll(sql)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		if t.kind == query.Token_SQL_COMMENT || t.kind == query.Token_C_COMMENT {
			return nil, &Error{Message: "a comment is not allowed here", Offset: t.start}
		}
	}
	return tokens, nil
}

func scanAll(sql string) ([]token, *Error) {
	if err := plainText(sql); err != nil {
		return nil, err
	}
	result, err := grammarScan(sql)
	if err != nil {
		return nil, placed(err, "", sql)
	}
	tokens := make([]token, 0, len(result.Tokens))
	for _, t := range result.Tokens {
		start, end := int(t.Start), int(t.End)
		tokens = append(tokens, token{
			kind: t.Token, start: start, end: end, text: sql[start:end],
			reserved: t.KeywordKind > query.KeywordKind_UNRESERVED_KEYWORD,
		})
	}
	return tokens, nil
}

// depth is +1 for an opening bracket, -1 for a closing one, else 0.
func (t token) depth() int {
	switch t.text {
	case "(", "[":
		return 1
	case ")", "]":
		return -1
	}
	return 0
}

// onlySelect is the one SELECT of a parsed text, or an error that says what stands there instead.
func onlySelect(tree *query.ParseResult, tokens []token, what string) (*query.SelectStmt, *Error) {
	for _, t := range tokens {
		if t.text == ";" {
			return nil, &Error{Message: "a semicolon does not belong to " + what, Offset: t.start}
		}
	}
	if len(tree.Stmts) != 1 || tree.Stmts[0].Stmt.GetSelectStmt() == nil {
		return nil, &Error{Message: "this is not " + what}
	}
	return tree.Stmts[0].Stmt.GetSelectStmt(), nil
}
