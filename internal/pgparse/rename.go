package pgparse

import "strings"

// Rename puts other words in the place of names: plain ones, or a dotted pair that is written without
// blanks. Neither what stands in quotes nor a part of another dotted name is touched. A text that
// cannot be scanned stays as it is.
func Rename(sql string, names map[string]string) string {
	tokens, err := scanAll(sql)
	if err != nil {
		return sql
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(tokens); i++ {
		last := i
		for last+2 < len(tokens) && tokens[last+1].text == "." {
			last += 2
		}
		if to, known := names[sql[tokens[i].start:tokens[last].end]]; known {
			b.WriteString(sql[done:tokens[i].start] + to)
			done = tokens[last].end
		}
		i = last
	}
	b.WriteString(sql[done:])
	return b.String()
}
