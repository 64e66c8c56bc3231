package pgparse

import "strings"

// Enclosed says whether a text is one pair of parentheses with everything else inside.
func Enclosed(sql string) bool {
	if !strings.HasPrefix(strings.TrimSpace(sql), "(") {
		return false
	}
	tokens, err := scanAll(sql)
	if err != nil || len(tokens) < 2 || tokens[0].text != "(" {
		return false
	}
	depth := 0
	for i, t := range tokens {
		depth += t.depth()
		if depth == 0 {
			return i == len(tokens)-1
		}
	}
	return false
}

// BreakInside is the offset of the first quoted text with a line break in it, where the break is
// part of a value; -1 when there is none.
func BreakInside(sql string) int {
	if !strings.ContainsAny(sql, "\r\n") {
		return -1
	}
	tokens, err := scanAll(sql)
	if err != nil {
		return -1 // whoever parses it says so
	}
	for _, t := range tokens {
		if strings.ContainsAny(t.text, "\r\n") {
			return t.start
		}
	}
	return -1
}
