package generator

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"pgretain/internal/pgparse"
)

// A fragment of several lines is hung: wherever a template puts it, its further lines begin in the
// column of its first one, plus their own indentation. These bytes stand around it until the whole
// object is laid out; no UTF-8 text has them, so that nothing of a policy can be taken for them.
const (
	hangFrom = "\xff"
	hangTo   = "\xfe"
	dropped  = "\xfd" // takes the place of a byte until offsets do not matter any more
)

func hung(text string) sqlText {
	if !strings.Contains(text, "\n") {
		return sqlText(text)
	}
	return sqlText(hangFrom + text + hangTo)
}

// layout puts the lines of hung fragments where they belong. Text that is not in a fragment stays
// as it is; names and literals have no line breaks.
func layout(text string) string {
	if !strings.Contains(text, hangFrom) {
		return text
	}
	var b bytes.Buffer
	layoutTo(&b, []byte(text), "")
	return b.String()
}

// layoutTo is layout with a dollar quote in the place of quoteMark. It writes to an empty buffer.
func layoutTo(b *bytes.Buffer, text []byte, quote string) {
	b.Grow(len(text) + len(text)/4)
	margins := []int{0}
	line, indent := 0, 0 // where the line under way begins, and by how much its text will be indented
	for len(text) > 0 {
		switch text[0] {
		case hangFrom[0]:
			margins = append(margins, max(utf8.RuneCount(b.Bytes()[line:]), indent))
		case hangTo[0]:
			margins = margins[:len(margins)-1]
		case quoteMark[0]:
			b.WriteString(quote)
		case '\n':
			b.WriteByte('\n')
			line, indent = b.Len(), margins[len(margins)-1]
		default:
			piece := plain(text)
			writeBlanks(b, indent)
			b.Write(piece)
			indent = 0
			text = text[len(piece):]
			continue
		}
		text = text[1:]
	}
}

func writeBlanks(b *bytes.Buffer, n int) {
	for ; n > 0; n -= len(spaces) {
		b.WriteString(spaces[:min(n, len(spaces))])
	}
}

const spaces = "                                                                "

// plain is the beginning of text up to what layout must look at.
func plain(text []byte) []byte {
	for i, c := range text {
		if c == '\n' || c >= quoteMark[0] {
			return text[:i]
		}
	}
	return text
}

// where is a WHERE clause of conditions that must all hold.
func where(conditions []sqlText) sqlText {
	if len(conditions) == 0 {
		return "WHERE true"
	}
	return hung("WHERE " + joined(conditions, "\n  AND "))
}

// every is one condition for all of them, in parentheses.
func every(conditions []sqlText) sqlText {
	if len(conditions) == 1 {
		return enclosed(conditions[0])
	}
	return hung("(" + joined(conditions, "\n AND ") + ")")
}

// either is one condition for any of them, in parentheses.
func either(conditions []sqlText) sqlText {
	if len(conditions) == 1 {
		return enclosed(conditions[0])
	}
	return hung("(" + joined(conditions, "\n OR ") + ")")
}

// inline is all conditions on one line.
func inline(conditions []sqlText) sqlText { return sqlText(joined(conditions, " AND ")) }

func joined(conditions []sqlText, separator string) string {
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		texts[i] = string(c)
	}
	return strings.Join(texts, separator)
}

// anyHung says whether an item of an order has several lines, so that each gets its own.
func anyHung(order []orderItem) bool {
	return slices.ContainsFunc(order, func(o orderItem) bool { return strings.Contains(string(o.Expr), hangFrom) })
}

// enclosed puts text in parentheses where it is not in one pair already.
func enclosed(text sqlText) sqlText {
	if pgparse.Enclosed(layout(string(text))) {
		return text
	}
	return "(" + text + ")"
}

// flat marks line breaks of an expression, with the blanks around them, so that they become one
// blank each when smooth is done; every byte keeps its place until then. Breaks inside quotes were
// refused before.
func flat(sql string) string {
	b := []byte(sql)
	for i := 0; i < len(b); {
		end := i
		for end < len(b) && strings.IndexByte(" \t\r\n", b[end]) >= 0 {
			end++
		}
		if strings.ContainsAny(sql[i:end], "\r\n") {
			b[i] = ' '
			for j := i + 1; j < end; j++ {
				b[j] = dropped[0]
			}
		}
		i = max(end, i+1)
	}
	return string(b)
}

func smooth(sql string) string {
	return strings.TrimSpace(strings.ReplaceAll(sql, dropped, ""))
}
