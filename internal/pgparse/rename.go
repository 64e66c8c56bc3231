package pgparse

import "strings"

// Rename puts other words in the place of names: plain ones, or a dotted pair that is written without
// blanks. Neither what stands in quotes nor a part of another dotted name is touched. A text that
// cannot be scanned stays as it is.
func Rename(sql string, names map[string]string) string {
	words, simple := simpleWords(sql)
	if !simple {
		words = scannedWords(sql)
	}
	return replaced(sql, words, names)
}

func replaced(sql string, words []word, names map[string]string) string {
	var b strings.Builder
	done := 0
	for _, w := range words {
		if to, known := names[sql[w.start:w.end]]; known {
			b.WriteString(sql[done:w.start])
			b.WriteString(to)
			done = w.end
		}
	}
	b.WriteString(sql[done:])
	return b.String()
}

// word is a name with all its dots, or anything else that is one to the scanner.
type word struct{ start, end int }

func scannedWords(sql string) []word {
	tokens, err := scanAll(sql)
	if err != nil {
		return nil
	}
	var words []word
	for i := 0; i < len(tokens); i++ {
		last := i
		for last+2 < len(tokens) && tokens[last+1].text == "." {
			last += 2
		}
		words = append(words, word{tokens[i].start, tokens[last].end})
		i = last
	}
	return words
}

// simpleWords finds the names of a text without PostgreSQL's scanner, which takes many times as long. It
// gives up where a text has more than names, numbers, operators and comments of a line.
func simpleWords(sql string) (words []word, simple bool) {
	if strings.ContainsAny(sql, "'$\\\x00") || strings.Contains(sql, "/*") {
		return nil, false
	}
	for i := 0; i < len(sql); {
		end := i + 1
		switch {
		case sql[i] == '"':
			end = after(sql, end, '"')
		case strings.HasPrefix(sql[i:], "--"):
			end = after(sql, end, '\n')
		case inName(sql[i]):
			for end < len(sql) && inName(sql[end]) {
				end++
			}
			if !simpleDots(sql, i, end) {
				return nil, false
			}
			words = append(words, word{i, end})
		}
		i = end
	}
	return words, true
}

// after is the place after the next c, or the text's end.
func after(sql string, start int, c byte) int {
	if i := strings.IndexByte(sql[start:], c); i >= 0 {
		return start + i + 1
	}
	return len(sql)
}

// simpleDots says whether every dot of a word stands between two names, without blanks.
func simpleDots(sql string, start, end int) bool {
	for i := start; i < end; i++ {
		if sql[i] != '.' {
			continue
		}
		if i == 0 || i+1 == len(sql) || digit(sql[start]) || !inQuotesOrName(sql[i-1]) || !(sql[i+1] == '*' || inQuotesOrName(sql[i+1])) || digit(sql[i+1]) {
			return false
		}
	}
	return true
}

func inQuotesOrName(c byte) bool { return c == '"' || c != '.' && inName(c) }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// inName says whether c may stand in a name, its dots included, or in a number.
func inName(c byte) bool {
	return c == '_' || c == '.' || digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
