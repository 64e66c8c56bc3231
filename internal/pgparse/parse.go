package pgparse

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	query "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"
)

// parseTree is the parser of PostgreSQL. A test replaces it to count the texts.
var parseTree = query.Parse

// parse parses prefix+sql+suffix. Offsets of errors are offsets in sql.
func parse(prefix, sql, suffix string) (*query.ParseResult, error) {
	if err := plainText(sql); err != nil {
		return nil, err
	}
	tree, err := parseTree(prefix + sql + suffix)
	if err != nil {
		at := errorAt(err, prefix, sql)
		// the error is in the suffix, which the user did not write
		if at.Offset >= len(sql) && suffix != "" {
			at.Message = "syntax error at end of input"
		}
		return nil, at
	}
	return tree, nil
}

// fromStatements calls the function "get" for each statement of a text, and returns the first
// result that is not the zero value.
func fromStatements[T comparable](sql, what string, get func(*query.Node) T) (found T, err error) {
	tree, err := parse("", sql, "")
	if err != nil {
		return found, err
	}
	var none T
	for _, raw := range tree.Stmts {
		if found = get(raw.Stmt); found != none {
			return found, nil
		}
	}
	return none, &Error{Message: "there is no " + what}
}

// plainText refuses text that the parser cannot read. The parser expects C strings in UTF-8.
func plainText(sql string) error {
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return &Error{Message: "a NUL character is not allowed", Offset: i}
	}
	if !utf8.ValidString(sql) {
		return &Error{Message: "text is not valid UTF-8", Offset: 0}
	}
	return nil
}

// errorAt returns an error of the parser as an *Error. It converts the 1-based character position
// to a byte offset of sql.
func errorAt(err error, prefix, sql string) *Error {
	message, character := err.Error(), 0
	if e, ok := errors.AsType[*parser.Error](err); ok {
		message, character = e.Message, e.Cursorpos
	}
	text, offset := prefix+sql, 0
	for ; character > 1 && offset < len(text); character-- {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return &Error{Message: message, Offset: max(offset-len(prefix), 0)}
}

// Token is one word, sign, literal or comment of a text, as the server's scanner returns it.
type Token struct {
	Offset  int
	Text    string
	Comment bool
	kind    query.Token
	keyword query.KeywordKind
	depth   int // number of brackets around the token; a closing bracket is inside its own pair
}

func (t Token) end() int { return t.Offset + len(t.Text) }

// mayName reports whether the token is a part of a name. The first part of a name cannot be a
// reserved key word.
func (t Token) mayName(first bool) bool {
	switch t.keyword {
	case query.KeywordKind_NO_KEYWORD:
		return t.kind == query.Token_IDENT
	case query.KeywordKind_UNRESERVED_KEYWORD, query.KeywordKind_COL_NAME_KEYWORD:
		return true
	}
	return !first
}

// name returns the name that an identifier or a key word denotes. Without quotes, PostgreSQL folds
// only the letters of ASCII.
func (t Token) name() string {
	if inner, ok := strings.CutPrefix(t.Text, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, t.Text)
}

// Quoted reports whether the token ends with a single or a double quote. Dollar quotes do not
// count.
func (t Token) Quoted() bool {
	return !t.Comment && strings.ContainsAny(t.Text[len(t.Text)-1:], `'"`)
}

// scan splits sql into tokens and refuses comments. A comment could hide the text that a template
// writes after it. YAML has its own comments.
func scan(sql string) ([]Token, error) {
	tokens, err := Tokens(sql)
	if i := slices.IndexFunc(tokens, func(t Token) bool { return t.Comment }); i >= 0 {
		return nil, &Error{Message: "a comment is not allowed here", Offset: tokens[i].Offset}
	}
	return tokens, err
}

// Tokens splits a text of one or more statements. The error is an *Error.
func Tokens(sql string) ([]Token, error) {
	if err := plainText(sql); err != nil {
		return nil, err
	}
	result, err := query.Scan(sql)
	if err != nil {
		return nil, errorAt(err, "", sql)
	}
	depth, tokens := 0, make([]Token, 0, len(result.Tokens))
	for _, t := range result.Tokens {
		text, comment := sql[t.Start:t.End], t.Token == query.Token_SQL_COMMENT || t.Token == query.Token_C_COMMENT
		tokens = append(tokens, Token{int(t.Start), text, comment, t.Token, t.KeywordKind, depth})
		switch text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
	}
	return tokens, nil
}

// split splits tokens at the commas outside all brackets.
func split(tokens []Token) [][]Token {
	var spans [][]Token
	start := 0
	for i, t := range tokens {
		if t.depth == 0 && t.Text == "," {
			spans = append(spans, tokens[start:i])
			start = i + 1
		}
	}
	return append(spans, tokens[start:])
}

func enclosed(tokens []Token) bool {
	return len(tokens) > 1 && tokens[0].Text == "(" && tokens[len(tokens)-1].Text == ")" &&
		!slices.ContainsFunc(tokens[1:], func(t Token) bool { return t.depth == 0 })
}

// BreakInside returns the offset of the first quoted text that contains a line break, or -1 if
// there is none. In a quoted text the line break is part of a value.
func BreakInside(sql string) int {
	if !strings.ContainsAny(sql, "\r\n") {
		return -1
	}
	tokens, _ := Tokens(sql) // the caller that parses the text reports the error
	for _, t := range tokens {
		if strings.ContainsAny(t.Text, "\r\n") {
			return t.Offset
		}
	}
	return -1
}

// StatementOffset returns the offset of the first word of statement n in a text, counted from 0. It
// returns 0 if there is no such statement.
func StatementOffset(sql string, n int) int {
	tree, err := parse("", sql, "")
	if err != nil || n >= len(tree.Stmts) {
		return 0
	}
	tokens, _ := Tokens(sql)
	for _, t := range tokens {
		if t.Offset >= int(tree.Stmts[n].StmtLocation) && !t.Comment && t.Text != ";" {
			return t.Offset
		}
	}
	return 0
}

// Statements splits a text into its statements, without semicolons and surrounding space. A comment
// before a statement stays with it. The error is an *Error.
func Statements(sql string) ([]string, error) {
	if err := plainText(sql); err != nil {
		return nil, err
	}
	statements, err := query.SplitWithParser(sql, true)
	if err != nil {
		return nil, errorAt(err, "", sql)
	}
	return statements, nil
}
