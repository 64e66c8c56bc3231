package pgparse

import (
	"iter"
	"strings"
)

// The functions in this file read SQL letter by letter, without the parser. Generated SQL is long,
// and the parser would take much longer for the same answers.

// Enclosed reports whether one pair of parentheses encloses the whole text. The text must be valid
// SQL without comments.
func Enclosed(sql string) bool {
	sql = strings.TrimSpace(sql)
	depth, length := 0, 0
	for i := 0; i < len(sql); i += length {
		word := sql[i : i+wordLength(sql[i:])]
		length = max(len(word), 1)
		switch sql[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '\'', '"', '$':
			length = quotedLength(sql[i:], false)
		default:
			if (word == "E" || word == "e") && strings.HasPrefix(sql[i+1:], "'") {
				length += quotedLength(sql[i+1:], true)
			}
		}
		if depth == 0 {
			return i > 0 && i == len(sql)-1 && sql[0] == '('
		}
	}
	return false
}

// quotedLength returns the length of the quoted text at the beginning of a text. It is 1 if a
// dollar sign begins no quoted text. If the parameter "escapes" is true, a backslash quotes the
// next character.
func quotedLength(sql string, escapes bool) int {
	end := sql[:1]
	if end == "$" {
		tag, _, found := strings.Cut(sql[1:], "$")
		if !found || wordLength(tag) < len(tag) || strings.TrimLeft(tag, "0123456789") != tag {
			return 1
		}
		end = "$" + tag + "$"
	}
	for i := len(end); i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case strings.HasPrefix(sql[i:], end):
			return i + len(end) // two quotes in a row end this text, and begin another one
		}
	}
	return len(sql)
}

// QualifiedNames yields the name after each dot of a text, with the unquoted name before the dot. A
// quoted name loses its quotes. The qualifier is "" if there is none, or if it is quoted. Dots in
// quoted texts count as well, because functions and the commands that they execute are such texts.
func QualifiedNames(text string) iter.Seq2[string, string] {
	return func(yield func(qualifier, name string) bool) {
		for dot, c := range []byte(text) {
			if c != '.' {
				continue
			}
			start := dot
			for start > 0 && (isNameByte(text[start-1]) || text[start-1] == '$') {
				start--
			}
			if !yield(text[start:dot], nameAt(text[dot+1:])) {
				return
			}
		}
	}
}

// nameAt returns the name at the beginning of a text.
func nameAt(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text[:wordLength(text)]
	}
	end := quotedLength(text, false)
	for strings.HasPrefix(text[end:], `"`) { // a quote in the name is written twice
		end += quotedLength(text[end:], false)
	}
	return Token{Text: text[:end]}.name()
}

// wordLength returns the length of the name, key word or number at the beginning of a text.
func wordLength(text string) int {
	for i := range len(text) {
		if !isNameByte(text[i]) && !(i > 0 && text[i] == '$') {
			return i
		}
	}
	return len(text)
}

// isNameByte reports whether a byte may be part of an unquoted name, at any place.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}
