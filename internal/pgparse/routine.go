package pgparse

import (
	"slices"
	"strings"
)

// Routine is what the text of a function or procedure says, in its own words.
type Routine struct {
	Kind       string      `json:"kind"` // function or procedure
	Parameters []Parameter `json:"parameters"`
	Returns    string      `json:"returns"` // a type, or TABLE; "" where the parameters say it
	Set        bool        `json:"set"`     // SETOF or TABLE
	Language   string      `json:"language"`
	Clauses    []string    `json:"clauses"`  // STABLE, STRICT, SECURITY DEFINER, ...
	Settings   []string    `json:"settings"` // search_path=pg_catalog, pg_temp
	Body       string      `json:"body"`
	Role       string      `json:"-"` // that the text takes on first, "" for none
}

// Parameter is a parameter, or a column of RETURNS TABLE.
type Parameter struct {
	Mode    string `json:"mode"` // IN, OUT, INOUT, VARIADIC or TABLE
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default"`
}

// Arguments are the types by which PostgreSQL finds it.
func (r Routine) Arguments() []string {
	list := []string{}
	for _, p := range r.Parameters {
		if p.Mode != "OUT" && p.Mode != "TABLE" {
			list = append(list, p.Type)
		}
	}
	return list
}

// routineReader walks through the words of a text. It knows no more of the grammar than the project's own texts use, in the
// order in which they use it.
type routineReader struct {
	sql   string
	words []Token
}

// ReadRoutine reads the first CREATE FUNCTION or CREATE PROCEDURE of a text that the project wrote. The error is an *Error.
func ReadRoutine(sql string) (Routine, error) {
	tokens, err := Tokens(sql)
	if err != nil {
		return Routine{}, err
	}
	r := &routineReader{sql, slices.DeleteFunc(tokens, func(t Token) bool { return t.Comment })}
	routine := Routine{Clauses: []string{}, Settings: []string{}}
	for len(r.words) > 0 && routine.Kind == "" {
		switch {
		case r.skip("SET", "LOCAL", "ROLE"):
			routine.Role = r.words[0].names()
		case r.skip("CREATE", "OR", "REPLACE", "FUNCTION"), r.skip("CREATE", "FUNCTION"):
			routine.Kind = "function"
		case r.skip("CREATE", "OR", "REPLACE", "PROCEDURE"):
			routine.Kind = "procedure"
		default:
			r.words = r.words[1:]
		}
	}
	r.until("(")
	routine.Parameters = r.parameters("IN")
	if r.skip("RETURNS") {
		routine.Set = r.skip("SETOF")
		routine.Returns = r.text(r.until("(", "LANGUAGE"))
		if routine.Returns == "TABLE" {
			routine.Set, routine.Parameters = true, append(routine.Parameters, r.parameters("TABLE")...)
		}
	}
	r.skip("LANGUAGE")
	routine.Language = r.text(r.until(clauseWords...))
	r.options(&routine)
	if len(r.words) < 2 || routine.Language == "" {
		return Routine{}, &Error{Message: "it creates no function or procedure in the way of ours"}
	}
	body := r.words[1].Text
	quotes := body[:strings.Index(body[1:], "$")+2]
	routine.Body = strings.TrimSuffix(strings.TrimPrefix(body, quotes), quotes)
	return routine, nil
}

// clauseWords begin what stands between language and body.
var clauseWords = []string{"IMMUTABLE", "STABLE", "VOLATILE", "STRICT", "SECURITY", "ROWS", "SET", "AS"}

// options are the clauses from the language to the body.
func (r *routineReader) options(routine *Routine) {
	for len(r.words) > 0 && r.words[0].Text != "AS" {
		clause := r.text(r.until(clauseWords...))
		if setting, ok := strings.CutPrefix(clause, "SET "); ok {
			name, value, _ := strings.Cut(setting, " = ")
			routine.Settings = append(routine.Settings, strings.ToLower(name)+"="+strings.Trim(value, "'"))
		} else {
			routine.Clauses = append(routine.Clauses, clause)
		}
	}
}

// parameters reads a list in brackets.
func (r *routineReader) parameters(mode string) []Parameter {
	list := []Parameter{}
	r.skip("(")
	for len(r.words) > 0 && !r.skip(")") {
		p := Parameter{Mode: mode}
		for _, word := range []string{"INOUT", "OUT", "VARIADIC"} {
			if r.skip(word) {
				p.Mode = word
			}
		}
		words := r.until("DEFAULT", ",", ")")
		if len(words) > 1 && words[1].Text != "." && words[1].Text != "[" { // else it has no name
			p.Name, words = words[0].names(), words[1:]
		}
		p.Type = r.text(words)
		if r.skip("DEFAULT") {
			p.Default = r.text(r.until(",", ")"))
		}
		r.skip(",")
		list = append(list, p)
	}
	return list
}

// skip passes some words by, if they are next.
func (r *routineReader) skip(words ...string) bool {
	for i, word := range words {
		if i >= len(r.words) || r.words[i].Text != word {
			return false
		}
	}
	r.words = r.words[len(words):]
	return true
}

// until passes by what stands before the next of some words, brackets as a whole, and at least one word.
func (r *routineReader) until(stops ...string) []Token {
	passed := 0
	for passed < len(r.words) && (passed == 0 || r.words[passed].depth > r.words[0].depth || !slices.Contains(stops, r.words[passed].Text)) {
		passed++
	}
	words := r.words[:passed]
	r.words = r.words[passed:]
	return words
}

// text is what words say, as it is written.
func (r *routineReader) text(words []Token) string {
	if len(words) == 0 {
		return ""
	}
	return r.sql[words[0].Offset:words[len(words)-1].end()]
}

// names is what a word names.
func (t Token) names() string {
	if quoted, ok := strings.CutPrefix(t.Text, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
	}
	return strings.ToLower(t.Text)
}
