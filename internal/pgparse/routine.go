package pgparse

import (
	"regexp"
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

// These patterns match texts that this project writes. roleForm matches the role before the
// routine. routineForm matches the routine up to its body.
var (
	roleForm    = regexp.MustCompile(`(?m)^SET LOCAL ROLE ("(?:[^"]|"")+"|\w+);`)
	routineForm = regexp.MustCompile(`(?ms)^CREATE (?:OR REPLACE )?(FUNCTION|PROCEDURE) [^(]+\((.*?)\)` +
		`(?:\s+RETURNS (SETOF )?(\S.*?))?\s+LANGUAGE (\w+)(.*?)\sAS (\$\w*\$)`)
	clauseForm = regexp.MustCompile(`\b(?:IMMUTABLE|STABLE|VOLATILE|STRICT|SECURITY|ROWS|SET)\b`)
	tableForm  = regexp.MustCompile(`(?s)^TABLE \((.*)\)$`)
)

// ReadRoutine parses the first CREATE FUNCTION or CREATE PROCEDURE of a text that this project
// wrote. It knows only the clauses of these texts, in their order. The error is an *Error.
func ReadRoutine(sql string) (Routine, error) {
	head, rest, _ := strings.Cut(sql, "AS $") // matching the pattern against a long text is slow
	quote, _, _ := strings.Cut(rest, "\n")
	form := routineForm.FindStringSubmatch(head + "AS $" + quote)
	if form == nil {
		return Routine{}, &Error{Message: "the text has no CREATE FUNCTION or CREATE PROCEDURE that can be parsed"}
	}
	r := Routine{Kind: strings.ToLower(form[1]), Set: form[3] != "", Returns: form[4], Language: form[5],
		Clauses: []string{}, Settings: []string{}}
	if role := roleForm.FindStringSubmatch(sql[:strings.Index(sql, form[0])]); role != nil {
		r.Role = unquoted(role[1])
	}
	var err error
	if r.Parameters, err = parameters(form[2], "IN"); err != nil {
		return Routine{}, err
	}
	if columns := tableForm.FindStringSubmatch(r.Returns); columns != nil {
		list, wrong := parameters(columns[1], "TABLE")
		r.Returns, r.Set, r.Parameters, err = "TABLE", true, append(r.Parameters, list...), wrong
	}
	starts := append(clauseForm.FindAllStringIndex(form[6], -1), []int{len(form[6])})
	for i, at := range starts[1:] {
		clause := strings.TrimSpace(form[6][starts[i][0]:at[0]])
		if setting, ok := strings.CutPrefix(clause, "SET "); ok {
			name, value, _ := strings.Cut(setting, " = ")
			r.Settings = append(r.Settings, strings.ToLower(name)+"="+strings.Trim(value, "'"))
		} else {
			r.Clauses = append(r.Clauses, clause)
		}
	}
	_, body, _ := strings.Cut(sql, form[0])
	r.Body, _, _ = strings.Cut(body, form[7])
	return r, err
}

// parameters parses the text between the brackets.
func parameters(sql, mode string) ([]Parameter, error) {
	tokens, err := Tokens(sql)
	text := func(span []Token) string { return sql[span[0].Offset:span[len(span)-1].end()] }
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
			p.Name, span = unquoted(span[0].Text), span[1:]
		}
		p.Type = text(span)
		list = append(list, p)
	}
	return list, err
}

// unquoted returns the name that an identifier in SQL denotes.
func unquoted(word string) string {
	if quoted, ok := strings.CutPrefix(word, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
	}
	return strings.ToLower(word)
}
