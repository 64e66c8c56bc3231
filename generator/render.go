package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/templates"
)

// sqlText is SQL that may stand in a template as it is: something the project wrote, or an
// expression of the policy that was parsed.
type sqlText string

// Literal is SQL as a text value, as functions take names.
func (t sqlText) Literal() literal { return literal(t) }

// ident is a name from outside; it prints itself in quotes.
type ident string

func (i ident) String() string { return quote.Ident(string(i)) }

func (i ident) Literal() literal { return literal(i) }

func identifiers(names []string) []ident {
	return each(names, func(name string) ident { return ident(name) })
}

// literal is a text value; it prints itself in quotes.
type literal string

func (l literal) String() string { return quote.Literal(string(l)) }

// fields are what a template reads, by name. Values are of the types above, numbers, booleans, or made of such: a test
// looks at all that is rendered and refuses plain text.
type fields map[string]any

// inspect, when a test sets it, sees what every template reads.
var inspect func(template string, data any)

// set is every template, parsed once. A template that cannot be parsed is a mistake of ours that any test meets.
var set = template.New("").Option("missingkey=error")

func init() {
	set.Funcs(template.FuncMap{
		"where": where, "every": every, "either": either, "enclosed": enclosed, "anyIndented": anyIndented, "indented": indented[sqlText],
		"tag":      func() string { return quoteMark },
		"sqltag":   func() string { return innerMark },
		"inc":      func(i int) int { return i + 1 },
		"fragment": fragment,
	})
	template.Must(set.ParseFS(templates.FS, "*.sql.tmpl"))
}

func execute(name string, data any) string {
	if inspect != nil {
		inspect(name, data)
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("generator: rendering %s: %v", name, err)) // data and template disagree: a mistake of ours
	}
	return b.String()
}

// object renders a whole object, which ends with one line break.
func object(name string, data any) string {
	text := strings.TrimRight(execute(name+".sql.tmpl", data), "\n")
	text = strings.ReplaceAll(text, innerMark, dollarQuote(text, "sql"))
	text = strings.ReplaceAll(text, quoteMark, dollarQuote(text, "function"))
	return filledLines(layout(text) + "\n")
}

// stepText executes a step's template. Its text is not a fragment: it stands at the margin.
func stepText(name string, data any) sqlText {
	return sqlText(strings.TrimRight(execute(name+".sql.tmpl", data), "\n"))
}

// fragment renders a piece of SQL for use in other templates.
func fragment(name string, data any) sqlText { return indented(execute(name, data)) }

func aliased(alias, column ident) sqlText {
	return fragment("aliased column", fields{"Alias": alias, "Column": column})
}

// plainText is laid out, on one line.
func plainText(text sqlText) string { return oneLine(layout(string(text))) }

// A fragment of several lines is indented: wherever a template puts it, its further lines begin in the
// column of its first one, plus their own indentation. These bytes stand around it until the whole
// object is laid out; no UTF-8 text has them, so that nothing of a policy can be taken for them.
const (
	indentFrom = "\xff"
	indentTo   = "\xfe"
	quoteMark  = "\xfc" // stands for the dollar quotes around a body until the whole text is known
	innerMark  = "\xfb" // for those around a statement in a body
)

func indented[T ~string](text T) sqlText {
	if !strings.Contains(string(text), "\n") {
		return sqlText(text)
	}
	return indentFrom + sqlText(text) + indentTo
}

// dollarQuote is one that does not occur in text.
func dollarQuote(text, word string) string {
	tag := "$" + word + "$"
	for i := 1; strings.Contains(text, tag); i++ {
		tag = fmt.Sprintf("$%s%d$", word, i)
	}
	return tag
}

func inDollars(text, word string) sqlText {
	quote := dollarQuote(text, word)
	return sqlText(quote + text + quote)
}

// layout puts the lines of indented fragments where they belong. Text that is not in a fragment stays
// as it is; names and literals have no line breaks.
func layout(text string) string {
	var b strings.Builder
	margins := []int{0}
	column, begun := 0, true // where the next text of a line stands, and whether something stands there before
	for len(text) > 0 {
		n := 1
		switch text[:1] {
		case indentFrom:
			margins = append(margins, column)
		case indentTo:
			margins = margins[:len(margins)-1]
		case "\n":
			b.WriteByte('\n')
			column, begun = margins[len(margins)-1], false
		default:
			for n < len(text) && text[n] != '\n' && text[n] < indentTo[0] {
				n++
			}
			if !begun {
				b.WriteString(strings.Repeat(" ", column))
			}
			b.WriteString(text[:n])
			column, begun = column+utf8.RuneCountInString(text[:n]), true
		}
		text = text[n:]
	}
	return b.String()
}

// where is a WHERE clause of conditions that must all hold.
func where(conditions []sqlText) sqlText {
	if len(conditions) == 0 {
		return "WHERE true"
	}
	return indented("WHERE " + joined(conditions, "\n  AND "))
}

// every is one condition for all of them, in parentheses.
func every(conditions []sqlText) sqlText { return combined(conditions, "\n AND ") }

// either is one condition for any of them, in parentheses.
func either(conditions []sqlText) sqlText { return combined(conditions, "\n OR ") }

func combined(conditions []sqlText, separator string) sqlText {
	if len(conditions) == 1 {
		return enclosed(conditions[0])
	}
	return indented("(" + joined(conditions, separator) + ")")
}

func joined[T ~string](texts []T, separator string) string {
	return strings.Join(each(texts, func(text T) string { return string(text) }), separator)
}

// anyIndented says whether an item of an order has several lines, so that each gets its own.
func anyIndented(order []orderItem) bool {
	return slices.ContainsFunc(order, func(o orderItem) bool { return strings.Contains(string(o.Expr), indentFrom) })
}

// enclosed puts text in parentheses where it is not in one pair already.
func enclosed(text sqlText) sqlText {
	if pgparse.Enclosed(layout(string(text))) {
		return text
	}
	return "(" + text + ")"
}

// oneLine puts a text on one line, so that no migration tool reads a line of it as its own markers.
func oneLine(text string) string { return strings.TrimSpace(quote.OneLine(text)) }

// textWidth is how wide a line of generated SQL may be, in characters. A policy's own literals may be wider.
const textWidth = 120

// breaks are where a line may go on below: behind a comma, before a word.
var breaks = regexp.MustCompile(`[,;] | (?:AND|OR|WHEN|ELSE|CROSS JOIN|LEFT JOIN|JOIN|FROM|WHERE|GROUP BY|ORDER BY|ON) `)

// clauses begin lines that go on with a statement.
var clauses = strings.Split("FROM |WHERE |AND |ORDER BY |GROUP BY |HAVING |FETCH FIRST |OFFSET |ON |USING |SET |RETURNS |"+
	"RETURNING |LIMIT |LANGUAGE |INTO |AS $", "|")

// quoted is what stands in quotes on one line; unbroken are lines that stay as they are, since a break there might mean
// something: with an escape, with a comment, with a whole dollar quote.
var (
	quoted   = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	unbroken = regexp.MustCompile(`\\|--|\$\w*\$.*\$\w*\$`)
)

// filledLines puts a clause on the line before it where there is room, and breaks lines that are too wide, outside of
// quotes. A clause in which a parenthesis stays open begins its line: those below are indented from it.
func filledLines(text string) string {
	var b strings.Builder
	line := ""
	for next := range strings.Lines(text) {
		clause := strings.TrimLeft(next, " ")
		room := utf8.RuneCountInString(line)+utf8.RuneCountInString(clause) <= textWidth+1
		counts := strings.HasSuffix(line, " = ROW_COUNT;\n") && strings.HasPrefix(clause, "v_out.") // goes on with what was counted
		begins := func(with string) bool { return strings.HasPrefix(clause, with) }
		if room && (slices.ContainsFunc(clauses, begins) && continues(line) || counts) && strings.Count(clause, "(") <= strings.Count(clause, ")") {
			line = strings.TrimSuffix(line, "\n") + " " + clause
		} else {
			b.WriteString(wrapped(line))
			line = next
		}
	}
	b.WriteString(wrapped(line))
	return b.String()
}

func wrapped(line string) string {
	if len(line) <= textWidth || unbroken.MatchString(line) {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "    "
	lines := ""
	for cut := breakOf(line, len(indent)); cut > 0; cut = breakOf(line, len(indent)) {
		lines += strings.TrimRight(line[:cut], " ") + "\n"
		line = indent + strings.TrimLeft(line[cut:], " ")
	}
	return lines + line
}

// breakOf is where a line that is too wide may be broken after from, 0 for none: in its second half the last place in the
// fewest parentheses, else the last one.
func breakOf(line string, from int) int {
	if utf8.RuneCountInString(line) <= textWidth+1 { // its line break counts
		return 0
	}
	bare := quoted.ReplaceAllStringFunc(line, func(text string) string { return strings.Repeat("x", len(text)) })
	last, least := 0, len(line)
	for _, found := range breaks.FindAllStringIndex(bare, -1) {
		at := found[0]
		if bare[at] != ' ' {
			at = found[1]
		}
		depth := strings.Count(bare[:at], "(") - strings.Count(bare[:at], ")")
		if at > from+16 && at <= textWidth+1 && found[0] <= textWidth && (depth <= least || last < textWidth/2) {
			last, least = at, depth
		}
	}
	return last
}

// continues says whether a line may be followed by a clause: not a comment, not the end of something in parentheses, nor
// one of plpgsql's own words.
func continues(line string) bool {
	line = strings.TrimSpace(line)
	word := line[strings.LastIndex(line, " ")+1:]
	return line != "" && strings.Count(line, ")") <= strings.Count(line, "(") && !strings.Contains(line, "--") &&
		!strings.HasSuffix(line, ";") && strings.ToUpper(word) != "BEGIN" && word != "THEN"
}
