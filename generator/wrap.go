package generator

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textWidth is how wide a line of generated SQL may be, in characters. A policy's own literals may be wider.
const textWidth = 120

// breaks are where a line may go on below: what stands before "\x00" stays on the line.
var breaks = []string{", \x00", "\x00 AND ", "\x00 OR ", "\x00 WHEN ", "\x00 ELSE ", "\x00 CROSS JOIN ", "\x00 LEFT JOIN ", "\x00 JOIN ", "\x00 FROM ",
	"\x00 WHERE ", "\x00 GROUP BY ", "\x00 ORDER BY ", "\x00 ON "}

// wrapped breaks lines that are too wide. A line with a quote or a comment stays as it is: a break there might
// mean something.
func wrapped(text string) string {
	if !wide(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 256)
	for line := range strings.Lines(text) {
		if !strings.ContainsAny(line, `'"\`) && !strings.Contains(line, "--") {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "    "
			for cut := breakOf(line, len(indent)); cut > 0; cut = breakOf(line, len(indent)) {
				b.WriteString(strings.TrimRight(line[:cut], " "))
				b.WriteByte('\n')
				line = indent + strings.TrimLeft(line[cut:], " ")
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// wide says whether any line is too wide, in bytes.
func wide(text string) bool {
	for len(text) > textWidth {
		end := strings.IndexByte(text, '\n')
		if end < 0 || end > textWidth {
			return true
		}
		text = text[end+1:]
	}
	return false
}

// breakOf is the last place after from where a line that is too wide may be broken, 0 for none.
func breakOf(line string, from int) int {
	if utf8.RuneCountInString(line) <= textWidth+1 { // its line break counts
		return 0
	}
	head, last := line[:min(textWidth+1, len(line))], 0
	for _, b := range breaks {
		before, after, _ := strings.Cut(b, "\x00")
		if at := strings.LastIndex(head, before+after); at >= 0 {
			last = max(last, at+len(before))
		}
	}
	if last <= from {
		return 0
	}
	return last
}

// clauses begin lines that go on with a statement.
var clauses = []string{"FROM ", "WHERE ", "AND ", "ORDER BY ", "GROUP BY ", "HAVING ", "FETCH FIRST ", "OFFSET ", "ON ", "USING ", "SET ", "RETURNS ",
	"LIMIT ", "LANGUAGE ", "AS $", "INTO "}

// joinedClauses puts a clause on the line before it where there is room. One in which a parenthesis stays open begins its
// line: those below hang from it.
func joinedClauses(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	before := ""
	for line := range strings.Lines(text) {
		clause := strings.TrimLeft(line, " ")
		room := utf8.RuneCountInString(before)+utf8.RuneCountInString(clause) <= textWidth+1
		if room && goesOn(before) && !opens(clause) && slices.ContainsFunc(clauses, func(c string) bool { return strings.HasPrefix(clause, c) }) {
			before = strings.TrimSuffix(before, "\n") + " " + clause
			continue
		}
		b.WriteString(before)
		before = line
	}
	b.WriteString(before)
	return b.String()
}

// goesOn says whether a line may be followed by a clause: not a comment, not the end of something in parentheses, nor one
// of plpgsql's own words.
func goesOn(line string) bool {
	line = strings.TrimSpace(line)
	word := line[strings.LastIndex(line, " ")+1:]
	return line != "" && strings.Count(line, ")") <= strings.Count(line, "(") && !strings.Contains(line, "--") && !strings.HasSuffix(line, ";") && strings.ToUpper(word) != "BEGIN" && word != "THEN"
}

// opens says whether more parentheses are opened than closed.
func opens(line string) bool { return strings.Count(line, "(") > strings.Count(line, ")") }
