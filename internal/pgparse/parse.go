package pgparse

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	query "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"

	"pgretain/internal/parallel"
)

// remember reads each text once: every object that is made of a policy reads the policy's SQL again.
func remember[T any](read func(sql string) (T, error)) func(sql string) (T, error) {
	type answer struct {
		value T
		err   error
	}
	once := parallel.Remember(func(sql string) answer {
		value, err := read(sql)
		return answer{value, err}
	})
	return func(sql string) (T, error) {
		a := once(sql)
		return a.value, a.err
	}
}

// parse reads prefix+sql+suffix; offsets of errors are those of sql.
func parse(prefix, sql, suffix string) (*query.ParseResult, error) {
	if err := plainText(sql); err != nil {
		return nil, err
	}
	tree, err := query.Parse(prefix + sql + suffix)
	if err != nil {
		at := placed(err, prefix, sql)
		if at.Offset >= len(sql) && suffix != "" { // it met what is not the user's
			at.Message = "syntax error at end of input"
		}
		return nil, at
	}
	return tree, nil
}

// first is the first statement of a text that get finds; the text may hold others.
func first[T comparable](sql, what string, get func(*query.Node) T) (found T, err error) {
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

// plainText refuses what the parser cannot be handed: it takes C strings in UTF-8.
func plainText(sql string) error {
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

// Token is one word, sign, literal or comment of a text, as the server's scanner sees it.
type Token struct {
	Offset  int
	Text    string
	Comment bool
	kind    query.Token
	depth   int // of brackets around it; a closing one is inside
}

func (t Token) end() int { return t.Offset + len(t.Text) }

// Quoted says whether the text stands in single or double quotes, with or without a prefix.
func (t Token) Quoted() bool {
	return !t.Comment && strings.ContainsAny(t.Text[len(t.Text)-1:], `'"`)
}

// scan splits sql into tokens and refuses comments: what a template places behind one would be
// commented out, and they have a place in YAML.
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
		return nil, placed(err, "", sql)
	}
	depth, tokens := 0, make([]Token, 0, len(result.Tokens))
	for _, t := range result.Tokens {
		text, comment := sql[t.Start:t.End], t.Token == query.Token_SQL_COMMENT || t.Token == query.Token_C_COMMENT
		tokens = append(tokens, Token{int(t.Start), text, comment, t.Token, depth})
		switch text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
	}
	return tokens, nil
}

// split cuts tokens at the commas outside all brackets.
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

// Enclosed says whether a text is one pair of parentheses with everything else inside.
func Enclosed(sql string) bool {
	if !strings.HasPrefix(strings.TrimSpace(sql), "(") { // as most
		return false
	}
	tokens, err := Tokens(sql)
	return err == nil && enclosed(tokens)
}

func enclosed(tokens []Token) bool {
	return len(tokens) > 1 && tokens[0].Text == "(" && tokens[len(tokens)-1].Text == ")" &&
		!slices.ContainsFunc(tokens[1:], func(t Token) bool { return t.depth == 0 })
}

// BreakInside is the offset of the first quoted text with a line break in it, where the break is
// part of a value; -1 when there is none.
func BreakInside(sql string) int {
	if !strings.ContainsAny(sql, "\r\n") {
		return -1
	}
	tokens, _ := Tokens(sql) // whoever parses it reports the error
	for _, t := range tokens {
		if strings.ContainsAny(t.Text, "\r\n") {
			return t.Offset
		}
	}
	return -1
}

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
