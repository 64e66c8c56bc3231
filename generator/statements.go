package generator

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/templates"
)

// statement is one line of statements.txt.
type statement struct {
	form             *regexp.Regexp
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
			line = quotedForm.ReplaceAllStringFunc(line, masked.Replace)
			s.form = regexp.MustCompile("^" + placeholders.Replace(regexp.QuoteMeta(line)) + "$")
			lists[heading] = append(lists[heading], s)
		}
	}
	return lists
})

// These are patterns for the placeholders of statements.txt. In a canonical statement, literals and
// quoted names contain no blanks and no semicolons.
const (
	nameForm      = `(?:"[^ ]*"|[A-Za-z_\x{80}-\x{10ffff}][^ ;'"().,]*)`
	namesForm     = nameForm + `(?: \. ` + nameForm + `)*`
	literalForm   = `(?:[Ee]?'[^ ]*'|\$[^ ]*\$)`
	valueForm     = `(?:` + literalForm + `|[0-9.]+|true|false|NULL|` + arrayForm + `)`
	arrayForm     = `ARRAY \[(?: ` + literalForm + `(?: ,)?)* \] :: text \[ \]`
	textWord      = `(?:` + literalForm + `|[|][|]|[(),%]|::|[0-9]+|bit|integer|text|left|md5|replace|current_setting)`
	textForm      = textWord + `(?: ` + textWord + `)*`
	rightsForm    = `(?:SELECT|INSERT|UPDATE|DELETE)(?: , (?:SELECT|INSERT|UPDATE|DELETE))*`
	sequencesForm = `(?: IF EXISTS \( SELECT FROM pg_class c WHERE c \. oid = to_regclass \( ` + literalForm + ` \) ` +
		`AND pg_get_userbyid \( c \. relowner \) <> ` + literalForm + ` \) ` +
		`THEN REVOKE USAGE ON SEQUENCE ` + namesForm + ` FROM ` + nameForm + ` ; END IF ;)*`
)

var placeholders = strings.NewReplacer(
	" <any>", `(?: [^;]*?)?`,
	" <sequences>", sequencesForm,
	"<object>", `(?P<object>`+namesForm+`)`,
	"<key>", `(?P<key>`+literalForm+`)`,
	"<runtime>", `(?P<runtime>`+nameForm+`)`,
	"<name>", namesForm,
	"<value>", valueForm,
	"<text>", textForm,
	"<rights>", rightsForm,
	"<body>", literalForm,
)

// masked replaces characters inside a token that otherwise separate tokens or statements. unmasked
// restores them.
var (
	masked     = strings.NewReplacer(" ", "\x01", ";", "\x02", "\n", "\x03", "\t", "\x04")
	unmasked   = strings.NewReplacer("\x01", " ", "\x02", ";", "\x03", "\n", "\x04", "\t")
	quotedForm = regexp.MustCompile(`'[^']*'`)
)

// canonical returns a statement without comments, with one blank between tokens. The body of a DO
// statement becomes canonical, too.
func canonical(sql string) (string, error) {
	tokens, err := pgparse.Tokens(sql)
	if err != nil {
		return "", err
	}
	var words []string
	for _, t := range tokens {
		switch {
		case t.Comment:
		case t.Text == ";":
			words = append(words, t.Text)
		case len(words) > 0 && words[0] == "DO" && len(words) < 3 && strings.HasPrefix(t.Text, "$") &&
			strings.HasSuffix(t.Text, "$"):
			tag := t.Text[:strings.Index(t.Text[1:], "$")+2]
			body, err := canonical(strings.TrimSuffix(strings.TrimPrefix(t.Text, tag), tag))
			if err != nil {
				return "", err
			}
			words = append(words, "$$", body, "$$")
		default:
			words = append(words, masked.Replace(t.Text))
		}
	}
	return strings.Join(words, " "), nil
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
	list, next := forms()[heading], 0
	for _, sql := range statements {
		line, err := canonical(sql)
		if err != nil {
			return err
		}
		at := next
		for at < len(list) && (list[at].repeat || !list[at].matches(line, a.object, runtime)) &&
			(list[at].repeat || list[at].optional) {
			at++
		}
		switch {
		case at < len(list) && list[at].matches(line, a.object, runtime):
			next = at + 1
		case slices.ContainsFunc(list, func(s statement) bool {
			return s.repeat && s.matches(line, a.object, runtime)
		}):
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

// matches reports whether a canonical statement has this form, with the names of the object and of
// the runtime's schema.
func (s statement) matches(line string, o Object, runtime string) bool {
	found := s.form.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	for i, group := range s.form.SubexpNames() {
		switch group {
		case "object":
			names, err := pgparse.Name(unmasked.Replace(strings.ReplaceAll(found[i], " . ", ".")))
			name, joined := o.Name, strings.Join(names, ".")
			if o.Kind == KindFunction || o.Kind == KindProcedure {
				name, _, _ = strings.Cut(name, "(")
			}
			if err != nil || name != joined {
				return false
			}
		case "key":
			if found[i] != masked.Replace(quote.Literal(o.Name)) {
				return false
			}
		case "runtime":
			if found[i] != quote.Ident(runtime) && runtime != "" {
				return false
			}
		}
	}
	return true
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
		runtime := installSchema(each(f.up, func(a action) Object { return a.object }))
		if runtime == "" {
			runtime = installSchema(h.Objects())
		}
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
