package pgparse

import (
	"slices"
	"strings"
)

// Routine is what the text of a function or procedure declares, with the words of the text.
type Routine struct {
	Kind       string      `json:"kind"` // "function" or "procedure"
	Parameters []Parameter `json:"parameters"`
	// a type, or TABLE; "" if the parameters define the result
	Returns  string   `json:"returns"`
	Set      bool     `json:"set"` // SETOF or TABLE
	Language string   `json:"language"`
	Clauses  []string `json:"clauses"`  // for example STABLE, STRICT, SECURITY DEFINER
	Settings []string `json:"settings"` // for example search_path=pg_catalog, pg_temp
	Body     string   `json:"body"`
	Role     string   `json:"-"` // role of the text's first SET LOCAL ROLE; "" for none
}

// Parameter is a parameter, or a column of RETURNS TABLE.
type Parameter struct {
	Mode    string `json:"mode"` // IN, OUT, INOUT, VARIADIC or TABLE
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
}

// Arguments returns the types that identify the routine in PostgreSQL.
func (r Routine) Arguments() []string {
	list := []string{}
	for _, p := range r.Parameters {
		if p.Mode != "OUT" && p.Mode != "TABLE" {
			list = append(list, p.Type)
		}
	}
	return list
}

// SecurityDefiner reports whether the routine runs with the privileges of its owner.
func (r Routine) SecurityDefiner() bool { return slices.Contains(r.Clauses, "SECURITY DEFINER") }

// clauseWords begin the clauses of CREATE FUNCTION after its parameters. AS begins the last one.
var clauseWords = []string{"RETURNS", "LANGUAGE", "IMMUTABLE", "STABLE", "VOLATILE", "STRICT", "SECURITY", "ROWS",
	"SET", "AS"}

// Created describes the object that an SQL text creates, as the text writes it.
type Created struct {
	Kind    string   // "table", "function" and so on
	Name    string   // with its schema
	Routine *Routine // nil for anything but a function or a procedure
	Grants  []string // the statements GRANT, REVOKE and SET of the text, with their semicolons
}

// ReadCreated parses the first statement of a text that begins with CREATE. This project wrote the
// text. ReadCreated knows only the clauses of such texts. The body of a routine is in dollar
// quotes. The error is an *Error.
func ReadCreated(sql string) (Created, error) {
	tokens, err := Tokens(sql)
	if err != nil {
		return Created{}, err
	}
	tokens = slices.DeleteFunc(tokens, func(t Token) bool { return t.Comment })
	at := 0
	for at < len(tokens) && (tokens[at].Text != "CREATE" || at > 0 && tokens[at-1].Text != ";") {
		at++
	}
	words := after(tokens[min(at+1, len(tokens)):], "OR", "REPLACE")
	if len(words) < 2 {
		return Created{}, errCreated
	}
	c := Created{Kind: strings.ToLower(words[0].Text)}
	for start, i := 0, 0; i < len(tokens); i++ {
		if tokens[i].Text == ";" {
			if slices.Contains([]string{"GRANT", "REVOKE", "SET"}, tokens[start].Text) {
				c.Grants = append(c.Grants, textOf(sql, tokens[start:i+1]))
			}
			start = i + 1
		}
	}
	words = after(words[1:], "IF", "NOT", "EXISTS")
	end := 1
	if len(words) > 2 && words[1].Text == "." {
		end = 3
	}
	if len(words) < end {
		return Created{}, errCreated
	}
	if c.Name = textOf(sql, words[:end]); c.Kind == "function" || c.Kind == "procedure" {
		r := Routine{Kind: c.Kind, Clauses: []string{}, Settings: []string{}, Role: role(tokens[:at])}
		c.Routine, err = &r, r.readAll(sql, words[end:])
	}
	return c, err
}

// after returns tokens behind some words; all tokens if they begin with other words.
func after(tokens []Token, words ...string) []Token {
	for i, word := range words {
		if i >= len(tokens) || tokens[i].Text != word {
			return tokens
		}
	}
	return tokens[len(words):]
}

// readAll reads a routine from its parameters to its body.
func (r *Routine) readAll(sql string, tokens []Token) error {
	last := slices.IndexFunc(tokens, func(t Token) bool { return t.Text == ")" && t.depth == 1 })
	if len(tokens) == 0 || tokens[0].Text != "(" || last < 0 {
		return errCreated
	}
	var err error
	if r.Parameters, err = parameters(textOf(sql, tokens[1:last]), "IN"); err != nil {
		return err
	}
	clauses := tokens[last+1:]
	for len(clauses) > 1 && clauses[0].Text != ";" {
		end := 1 + slices.IndexFunc(clauses[1:], func(t Token) bool {
			return t.depth == 0 && (t.Text == ";" || slices.Contains(clauseWords, t.Text))
		})
		if clauses[0].Text == "AS" {
			r.Body, err = dollarQuoted(clauses[1].Text)
			return err
		}
		takesWords := slices.Contains([]string{"RETURNS", "LANGUAGE", "SET"}, clauses[0].Text)
		if end == 0 || end == 1 && takesWords {
			break
		}
		if err := r.read(sql, clauses[:end]); err != nil {
			return err
		}
		clauses = clauses[end:]
	}
	return errCreated
}

var errCreated = &Error{Message: "the text has no CREATE statement that can be parsed"}

// role returns the role of the first SET LOCAL ROLE; "" if there is none.
func role(tokens []Token) string {
	for i, t := range tokens {
		if t.Text == "ROLE" && i > 1 && tokens[i-1].Text == "LOCAL" && i+1 < len(tokens) {
			return tokens[i+1].name()
		}
	}
	return ""
}

// read reads one clause. AS is read elsewhere.
func (r *Routine) read(sql string, clause []Token) error {
	text := func(span []Token) string { return textOf(sql, span) }
	switch clause[0].Text {
	case "RETURNS":
		clause = clause[1:]
		switch clause[0].Text {
		case "SETOF":
			r.Set, r.Returns = true, text(clause[1:])
		case "TABLE":
			if len(clause) < 3 {
				return errCreated
			}
			columns, err := parameters(textOf(sql, clause[2:len(clause)-1]), "TABLE")
			r.Set, r.Returns, r.Parameters = true, "TABLE", append(r.Parameters, columns...)
			return err
		default:
			r.Returns = text(clause)
		}
	case "LANGUAGE":
		r.Language = text(clause[1:])
	case "SET":
		name, value, _ := strings.Cut(text(clause[1:]), " = ")
		r.Settings = append(r.Settings, strings.ToLower(name)+"="+strings.Trim(value, "'"))
	default:
		r.Clauses = append(r.Clauses, text(clause))
	}
	return nil
}

// dollarQuoted returns the text in dollar quotes.
func dollarQuoted(sql string) (string, error) {
	_, rest, _ := strings.Cut(sql, "$")
	tag, _, found := strings.Cut(rest, "$")
	quote := "$" + tag + "$"
	if !found || !strings.HasPrefix(sql, quote) {
		return "", &Error{Message: "the body is not in dollar quotes"}
	}
	return strings.TrimSuffix(strings.TrimPrefix(sql, quote), quote), nil
}

// textOf returns the text from the first to the last token; "" for no tokens.
func textOf(sql string, span []Token) string {
	if len(span) == 0 {
		return ""
	}
	return sql[span[0].Offset:span[len(span)-1].end()]
}

// parameters parses the text between the brackets.
func parameters(sql, mode string) ([]Parameter, error) {
	tokens, err := Tokens(sql)
	text := func(span []Token) string { return textOf(sql, span) }
	list := []Parameter{}
	for _, span := range split(slices.DeleteFunc(tokens, func(t Token) bool { return t.Comment })) {
		if len(span) == 0 { // there are no parameters
			break
		}
		p := Parameter{Mode: mode}
		if slices.Contains([]string{"INOUT", "OUT", "VARIADIC"}, span[0].Text) {
			p.Mode, span = span[0].Text, span[1:]
		}
		if i := slices.IndexFunc(span, func(t Token) bool { return t.Text == "DEFAULT" }); i >= 0 {
			p.Default, span = text(span[i+1:]), span[:i]
		}
		// a parameter without a name has only a type
		if len(span) > 1 && span[1].Text != "." && span[1].Text != "[" {
			p.Name, span = span[0].name(), span[1:]
		}
		p.Type = text(span)
		list = append(list, p)
	}
	return list, err
}
