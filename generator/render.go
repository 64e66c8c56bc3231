package generator

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/templates"
)

// sqlText is SQL that a template may contain unchanged. pgretain wrote it, or it is a parsed
// expression of the policy.
type sqlText string

// Literal returns the SQL as a text literal, for functions that take names.
func (t sqlText) Literal() literal { return literal(t) }

// ident is a name from outside. It prints itself with quotes.
type ident string

func (i ident) String() string { return quote.Ident(string(i)) }

func (i ident) Literal() literal { return literal(i) }

func identifiers(names []string) []ident {
	return lists.Map(names, func(name string) ident { return ident(name) })
}

// literal is a text value. It prints itself with quotes.
type literal string

func (l literal) String() string { return quote.Literal(string(l)) }

// textList is a list of texts. It prints itself as an array.
type textList []literal

func (l textList) String() string {
	return quote.Array(lists.Map(l, func(t literal) string { return string(t) }))
}

// inspect is set by a test and receives the data of every rendered template. The fields of data are
// numbers, booleans, values of the types above, or composed of them. The test fails if one is a
// plain string.
var inspect func(template string, data any)

// set contains all templates, parsed once. A template that cannot be parsed is a bug that any test
// finds.
var set = template.New("")

func init() {
	set.Funcs(template.FuncMap{
		"where":       where,
		"every":       every,
		"either":      either,
		"enclosed":    enclosed,
		"anyIndented": anyIndented,
		"indented":    indented[sqlText],
		"tag":         func() string { return quoteMark },
		"sqltag":      func() string { return innerMark },
		"inc":         func(i int) int { return i + 1 },
		"fragment":    fragment,
	})
	template.Must(set.ParseFS(templates.FS, "*.sql.tmpl"))
}

func execute(name string, data any) string {
	if inspect != nil {
		inspect(name, data)
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("generator: rendering %s: %v", name, err)) // data and template disagree, which is a bug
	}
	return b.String()
}

// object renders a whole object, which ends with one line break.
func object(name string, data any) string {
	text, _ := objectWithBody(name, data)
	return text
}

// objectWithBody also returns the body of the function that the object creates; "" if it creates
// none.
func objectWithBody(name string, data any) (text, body string) {
	text = strings.TrimRight(execute(name+".sql.tmpl", data), "\n")
	text = strings.ReplaceAll(text, innerMark, dollarQuote(text, "sql"))
	quote := dollarQuote(text, "function")
	text = filledLines(layout(strings.ReplaceAll(text, quoteMark, quote)) + "\n")
	_, below, _ := strings.Cut(text, "AS "+quote)
	body, _, _ = strings.Cut(below, quote)
	return text, body
}

// stepText renders the template of a step. A step is a whole statement that begins at the left
// margin, so it is not a fragment.
func stepText(name string, data any) sqlText {
	return sqlText(strings.TrimRight(execute(name+".sql.tmpl", data), "\n"))
}

// fragment renders a piece of SQL for use in other templates.
func fragment(name string, data any) sqlText { return indented(execute(name, data)) }

func aliased(alias, column ident) sqlText {
	return fragment("aliased column", aliasedColumn{alias, column})
}

// aliasedColumn is a column with the alias of its table.
type aliasedColumn struct{ Alias, Column ident }

// plainText returns the text, laid out on one line.
func plainText(text sqlText) string { return oneLine(layout(string(text))) }

// A fragment of several lines is indented. Its further lines begin in the column of its first line,
// plus their own indentation. These bytes mark a fragment until the whole object is laid out. UTF-8
// text never contains them, so no text of a policy can be confused with them.
const (
	indentFrom = "\xff"
	indentTo   = "\xfe"
	quoteMark  = "\xfc" // replaces the dollar quotes around a body until the whole text is known
	innerMark  = "\xfb" // replaces the dollar quotes around a statement in a body
)

func indented[T ~string](text T) sqlText {
	if !strings.Contains(string(text), "\n") {
		return sqlText(text)
	}
	return indentFrom + sqlText(text) + indentTo
}

// dollarQuote returns a dollar quote that does not occur in text.
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

// layout indents the lines of fragments. It leaves other text unchanged. Names and literals contain
// no line breaks.
func layout(text string) string {
	var b strings.Builder
	margins := []int{0}
	column, begun := 0, true // column of the next text, and whether the line has text
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

// where returns a WHERE clause in which all conditions must be true.
func where(conditions []sqlText) sqlText {
	if len(conditions) == 0 {
		return "WHERE true"
	}
	return indented("WHERE " + joined(conditions, "\n  AND "))
}

// every returns the conditions, joined by AND, in parentheses.
func every(conditions []sqlText) sqlText { return combined(conditions, "\n AND ") }

// either returns the conditions, joined by OR, in parentheses.
func either(conditions []sqlText) sqlText { return combined(conditions, "\n OR ") }

func combined(conditions []sqlText, separator string) sqlText {
	if len(conditions) == 1 {
		return enclosed(conditions[0])
	}
	return indented("(" + joined(conditions, separator) + ")")
}

func joined[T ~string](texts []T, separator string) string {
	return strings.Join(lists.Map(texts, func(text T) string { return string(text) }), separator)
}

// anyIndented reports whether any item of an order has several lines. If so, every item gets a line
// of its own.
func anyIndented(order []orderItem) bool {
	return slices.ContainsFunc(order, func(o orderItem) bool { return strings.Contains(string(o.Expr), indentFrom) })
}

// enclosed puts a text in parentheses, unless one pair encloses it already.
func enclosed(text sqlText) sqlText {
	if pgparse.Enclosed(layout(string(text))) {
		return text
	}
	return "(" + text + ")"
}

// oneLine returns a text on one line. So no migration tool reads a part of it as a marker.
func oneLine(text string) string { return strings.TrimSpace(quote.OneLine(text)) }

// textWidth is the greatest width of a line of generated SQL, in characters. Literals of a policy
// may be wider.
const textWidth = 120

// breakBefore lists key words before which a line may be broken.
var breakBefore = strings.Split("AND |OR |WHEN |ELSE |CROSS JOIN |LEFT JOIN |JOIN |FROM |WHERE |GROUP BY |"+
	"ORDER BY |ON ", "|")

// clauses are the beginnings of lines that continue a statement.
var clauses = strings.Split("FROM |WHERE |AND |ORDER BY |GROUP BY |HAVING |FETCH FIRST |OFFSET |ON |USING |SET |"+
	"RETURNS |RETURNING |LIMIT |LANGUAGE |INTO |AS $", "|")

// withoutQuoted replaces each quoted text of a line by letters, byte by byte.
func withoutQuoted(line string) string {
	bare := []byte(line)
	for i := 0; i < len(line); i++ {
		if line[i] != '\'' && line[i] != '"' {
			continue
		}
		if length := strings.IndexByte(line[i+1:], line[i]); length >= 0 {
			end := i + length + 2
			copy(bare[i:end], strings.Repeat("x", end-i))
			i = end - 1
		}
	}
	return string(bare)
}

// unbreakable reports whether a line break could change the meaning of a line: it has an escape, a
// comment or a whole dollar quote.
func unbreakable(line string) bool {
	inside, opened := afterTag(line)
	_, closed := afterTag(inside)
	return strings.Contains(line, `\`) || strings.Contains(line, "--") || opened && closed
}

// afterTag returns the text after the first tag of a dollar quote.
func afterTag(text string) (rest string, found bool) {
	for {
		_, rest, found = strings.Cut(text, "$")
		if !found {
			return "", false
		}
		if after := strings.TrimLeft(rest, wordLetters); strings.HasPrefix(after, "$") {
			return after[1:], true
		}
		text = rest
	}
}

const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// filledLines joins a clause to the line before it if there is room. It breaks lines that are too
// wide, outside quotes. A clause with an open parenthesis begins a line, because the lines below
// are indented from it.
func filledLines(text string) string {
	var b strings.Builder
	line := ""
	for next := range strings.Lines(text) {
		clause := strings.TrimLeft(next, " ")
		room := utf8.RuneCountInString(line)+utf8.RuneCountInString(clause) <= textWidth+1
		// a statement that uses the row count stands on the line of its GET DIAGNOSTICS
		counts := strings.HasSuffix(line, " = ROW_COUNT;\n") && strings.HasPrefix(clause, "v_out.")
		begins := func(prefix string) bool { return strings.HasPrefix(clause, prefix) }
		if room && (slices.ContainsFunc(clauses, begins) && continues(line) || counts) &&
			strings.Count(clause, "(") <= strings.Count(clause, ")") {
			line = strings.TrimSuffix(line, "\n") + " " + clause
		} else {
			b.WriteString(wrapped(line))
			line = next
		}
	}
	b.WriteString(wrapped(line))
	return b.String()
}

// wrapped breaks a line that is wider than textWidth. It returns other lines unchanged.
func wrapped(line string) string {
	if len(line) <= textWidth || unbreakable(line) {
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

// breakOf returns the offset at which to break a line that is too wide. The offset is greater than
// the parameter "from"; it is 0 if the line cannot be broken. In the second half of the line,
// breakOf chooses the last place in the fewest parentheses. Otherwise it chooses the last place.
func breakOf(line string, from int) int {
	if utf8.RuneCountInString(line) <= textWidth+1 { // the line break counts as one character
		return 0
	}
	bare := withoutQuoted(line)
	last, least := 0, len(line)
	for start := 0; start <= min(textWidth, len(bare)-1); start++ {
		begins := func(word string) bool { return strings.HasPrefix(bare[start+1:], word) }
		at := start
		switch word := slices.IndexFunc(breakBefore, begins); {
		case bare[start] == ' ' && word >= 0: // before the blank
			start += len(breakBefore[word])
		case strings.HasPrefix(bare[start:], ", "), strings.HasPrefix(bare[start:], "; "):
			start++
			at += 2
		default:
			continue
		}
		depth := strings.Count(bare[:at], "(") - strings.Count(bare[:at], ")")
		if at > from+16 && at <= textWidth+1 && (depth <= least || last < textWidth/2) {
			last, least = at, depth
		}
	}
	return last
}

// continues reports whether a clause may follow a line. It may not follow a comment, the end of
// something in parentheses, or a keyword of PL/pgSQL.
func continues(line string) bool {
	line = strings.TrimSpace(line)
	word := line[strings.LastIndex(line, " ")+1:]
	return line != "" && strings.Count(line, ")") <= strings.Count(line, "(") && !strings.Contains(line, "--") &&
		!strings.HasSuffix(line, ";") && strings.ToUpper(word) != "BEGIN" && word != "THEN"
}
