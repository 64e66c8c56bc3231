package generator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/templates"
)

// statement is one line of statements.txt.
type statement struct {
	form             []string // tokens and placeholders
	optional, repeat bool
}

// forms returns the lines of statements.txt by "put kind" or "drop kind".
var forms = sync.OnceValue(func() map[string][]statement {
	lists, heading := map[string][]statement{}, ""
	for line := range strings.Lines(templates.Statements) {
		line = strings.TrimSpace(line)
		verb, kind, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case (verb == "put" || verb == "drop") && rank(Kind(kind)) >= 0:
			heading = line
		default:
			s := statement{optional: verb == "?", repeat: verb == "*"}
			if s.optional || s.repeat {
				line = kind
			}
			s.form = formOf(line)
			lists[heading] = append(lists[heading], s)
		}
	}
	return lists
})

// formOf splits a line of statements.txt. A placeholder becomes a quoted name, so that it is one
// token.
func formOf(line string) []string {
	form, err := canonical(strings.NewReplacer("<>", "<>", "<", `"<`, ">", `>"`).Replace(line))
	if err != nil {
		panic(fmt.Sprintf("reading statements.txt: %v", err)) // the file is part of the program
	}
	return form
}

// canonical returns the tokens of a statement without comments. The body of a DO statement is
// split, too.
func canonical(sql string) ([]string, error) {
	tokens, err := pgparse.Tokens(sql)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, t := range tokens {
		switch {
		case t.Comment:
		case len(words) > 0 && words[0] == "DO" && len(words) < 3 && isDollarQuoted(t.Text):
			tag := t.Text[:strings.Index(t.Text[1:], "$")+2]
			body, err := canonical(strings.TrimSuffix(strings.TrimPrefix(t.Text, tag), tag))
			if err != nil {
				return nil, err
			}
			words = append(slices.Concat(words, []string{"$$"}, body), "$$")
		default:
			words = append(words, t.Text)
		}
	}
	return words, nil
}

func isDollarQuoted(token string) bool {
	return len(token) > 1 && strings.HasPrefix(token, "$") && strings.HasSuffix(token, "$")
}

func isLiteral(token string) bool {
	return strings.HasPrefix(strings.TrimLeft(token, "Ee"), "'") || isDollarQuoted(token)
}

func isName(token string) bool {
	first, _ := utf8.DecodeRuneInString(token)
	return first == '"' || (first == '_' || unicode.IsLetter(first) || first > unicode.MaxASCII) && !isLiteral(token)
}

// sequences is one repetition of the placeholder <sequences>.
var sequences = sync.OnceValue(func() []string {
	return formOf("IF EXISTS ( SELECT FROM pg_class c WHERE c . oid = to_regclass ( <value> ) " +
		"AND pg_get_userbyid ( c . relowner ) <> <value> ) " +
		"THEN REVOKE USAGE ON SEQUENCE <name> FROM <name> ; END IF ;")
})

// owner has the names that the statements of an object may use.
type owner struct {
	object  Object
	runtime string // schema of the runtime; "" for any
}

// has reports whether the tokens of a statement have a form.
func (o owner) has(form, tokens []string) bool {
	if len(form) == 0 {
		return len(tokens) == 0
	}
	if form[0] == `"<sequences>"` {
		return o.has(form[1:], tokens) || slices.ContainsFunc(prefixes(tokens), func(n int) bool {
			return n > 0 && o.has(sequences(), tokens[:n]) && o.has(form, tokens[n:])
		})
	}
	return slices.ContainsFunc(o.lengths(form[0], tokens), func(n int) bool { return o.has(form[1:], tokens[n:]) })
}

func prefixes(tokens []string) []int {
	lengths := make([]int, len(tokens)+1)
	for i := range lengths {
		lengths[i] = i
	}
	return lengths
}

// lengths returns how many of the first tokens a placeholder or token of a form can stand for.
func (o owner) lengths(placeholder string, tokens []string) []int {
	one := func(fits bool) []int {
		if fits {
			return []int{1}
		}
		return nil
	}
	if placeholder == `"<any>"` {
		if end := slices.Index(tokens, ";"); end >= 0 {
			tokens = tokens[:end]
		}
		return prefixes(tokens)
	}
	if len(tokens) == 0 {
		return nil
	}
	switch first := tokens[0]; placeholder {
	case `"<name>"`:
		return chain(tokens, ".", isName)
	case `"<object>"`:
		return slices.DeleteFunc(chain(tokens, ".", isName), func(n int) bool { return !o.isObject(tokens[:n]) })
	case `"<runtime>"`:
		return one(isName(first) && (o.runtime == "" || first == quote.Ident(o.runtime)))
	case `"<key>"`:
		return one(first == quote.Literal(o.object.Name))
	case `"<body>"`:
		return one(isLiteral(first))
	case `"<value>"`:
		if first == "ARRAY" {
			return arrayLength(tokens)
		}
		return one(isLiteral(first) || strings.Trim(first, "0123456789.") == "" ||
			slices.Contains([]string{"true", "false", "NULL"}, first))
	case `"<text>"`:
		end := slices.IndexFunc(tokens, func(token string) bool {
			return !isLiteral(token) && strings.Trim(token, "0123456789") != "" && !slices.Contains(textTokens, token)
		})
		if end >= 0 {
			tokens = tokens[:end]
		}
		return prefixes(tokens)[1:]
	case `"<rights>"`:
		return chain(tokens, ",", func(token string) bool {
			return slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, token)
		})
	default:
		return one(first == placeholder)
	}
}

// textTokens are the tokens that the placeholder <text> accepts, besides literals and numbers.
var textTokens = []string{"||", "(", ")", ",", "%", "::", "bit", "integer", "text", "left", "md5", "replace",
	"current_setting"}

// chain returns the lengths of all lists, with a separator between two elements, with which tokens
// begin.
func chain(tokens []string, separator string, is func(string) bool) []int {
	var lengths []int
	for n := 1; n <= len(tokens) && is(tokens[n-1]); n += 2 {
		lengths = append(lengths, n)
		if n == len(tokens) || tokens[n] != separator {
			break
		}
	}
	return lengths
}

// arrayLength returns the length of an array of literals with which tokens begin.
func arrayLength(tokens []string) []int {
	end := slices.Index(tokens, "]")
	if end < 2 || tokens[1] != "[" || len(tokens) < end+5 ||
		!slices.Equal(tokens[end+1:end+5], []string{"::", "text", "[", "]"}) ||
		slices.ContainsFunc(tokens[2:end], func(token string) bool { return token != "," && !isLiteral(token) }) {
		return nil
	}
	return []int{end + 5}
}

// isObject reports whether the tokens of a name are the name of the object.
func (o owner) isObject(tokens []string) bool {
	names, err := pgparse.Name(strings.Join(tokens, ""))
	name := o.object.Name
	if o.object.Kind == KindFunction || o.object.Kind == KindProcedure {
		name, _, _ = strings.Cut(name, "(")
	}
	return err == nil && name == strings.Join(names, ".")
}

// checkStatements refuses an object of a file in two cases: its text contains a statement that no
// object of this kind has, or lacks a statement that every object of this kind has.
func (a action) checkStatements(runtime string) error {
	heading, text := "put "+string(a.object.Kind), a.object.SQL
	if a.drops {
		heading, text = "drop "+string(a.object.Kind), a.object.Drop
	}
	if text == "" || a.object.Kind == KindRuntime { // such a text is rendered again and compared
		return nil
	}
	statements, err := pgparse.Statements(text)
	if err != nil {
		return err
	}
	list, next, o := forms()[heading], 0, owner{a.object, runtime}
	for _, sql := range statements {
		tokens, err := canonical(sql)
		if err != nil {
			return err
		}
		at := next
		for at < len(list) && (list[at].repeat || !o.has(list[at].form, tokens)) &&
			(list[at].repeat || list[at].optional) {
			at++
		}
		switch {
		case at < len(list) && o.has(list[at].form, tokens):
			next = at + 1
		case slices.ContainsFunc(list, func(s statement) bool { return s.repeat && o.has(s.form, tokens) }):
		default:
			return fmt.Errorf("an object of kind %s has no statement like %q", a.object.Kind,
				shortened(strings.Join(strings.Fields(sql), " "), 100))
		}
	}
	if slices.ContainsFunc(list[next:], func(s statement) bool { return !s.repeat && !s.optional }) {
		return errors.New("a statement is missing")
	}
	return nil
}

// checkStatements refuses a migration of the history if an object contains a statement that
// pgretain never writes for its kind. So a migration executes only statements of pgretain, even if
// the policies were changed later.
func (h *History) checkStatements() error {
	type text struct {
		action
		file, runtime string
	}
	var texts []text
	for _, f := range h.read {
		runtime := cmp.Or(installSchema(objectsOf(f.up)), installSchema(h.Objects()))
		for _, a := range slices.Concat(f.up, f.down) {
			texts = append(texts, text{a, f.Name, runtime})
		}
		for _, a := range f.up {
			if a.removal != nil {
				a.drops, a.object.Drop = true, *a.removal
				texts = append(texts, text{a, f.Name, runtime})
			}
		}
	}
	_, err := parallel.Each(texts, func(t text) (bool, error) {
		if err := t.checkStatements(t.runtime); err != nil {
			return false, historyError(ErrEdited, fmt.Sprintf("%s %s: %v", t.object.Kind, quoteName(t.object.Name),
				err), t.file)
		}
		return true, nil
	})
	return err
}
