package generator

import (
	"strings"

	"pgretain/internal/pgparse"
)

// What tern looks for in a file: a line between the two ways, and a line in a way that runs without a
// transaction. Each way is a template first, then split at the semicolons where there is no transaction.
// https://github.com/jackc/tern#migrations
const (
	ternDownLine  = "---- create above / drop below ----"
	ternNoTxLine  = "---- tern: disable-tx ----"
	ternBraces    = `{{ "{{" }}`
	ternDashes    = `{{ "----" }}`
	ternSeparator = " create above / drop below ----"
)

// ternTool writes one file for both ways. Numbers begin with 1 and have no gaps.
var ternTool = tool{
	format: Tern, width: 3, gapless: true, separator: "_", suffix: ".sql",
	downLine: ternDownLine, frame: ternFrame, refusal: ternRefusal,
	escape:   strings.NewReplacer("{{", ternBraces, ternDownLine, ternDashes+ternSeparator),
	unescape: strings.NewReplacer(ternBraces, "{{", ternDashes, "----"),
}

func ternFrame(l tool, p part, w ways) []File {
	noTx := ""
	if p.noTransaction {
		noTx = ternNoTxLine + "\n\n"
	}
	up := l.escape.Replace(l.head(p, p.forward("the part below the dashes")) + "\n" + noTx + w.up.String())
	down := l.escape.Replace("\n" + noTx + w.down.String())
	return []File{{p.Name, p.sealed(pieces{up, "\n" + l.downLine + "\n", down})}}
}

// ternRefusal: a line that would take a way out of its transaction, and what tern splits wrongly.
func ternRefusal(text string, noTransaction bool) string {
	for line := range strings.Lines(text) {
		if strings.TrimSuffix(line, "\n") == ternNoTxLine {
			return "a line is exactly " + ternNoTxLine + ", by which tern leaves the transaction"
		}
	}
	if !noTransaction {
		return ""
	}
	return ternSplits(text)
}

// ternSplits says where tern would take a quote for what it is not: a dollar inside a dollar quote may
// hide its end, a backslash escapes in comments, too, and an E may end the word before.
func ternSplits(text string) string {
	tokens, err := pgparse.Tokens(text)
	if err != nil {
		return "text cannot be split into statements: " + err.Error()
	}
	for _, t := range tokens {
		before := strings.ToLower(text[max(t.Offset-1, 0):t.Offset])
		switch {
		case t.Comment && strings.HasSuffix(t.Text, `\`):
			return "tern would not see the end of a comment that ends with a backslash"
		case t.Comment:
		case !t.Quoted() && strings.Contains(t.Text, "$") && !plainDollars(t.Text):
			return "tern would not find the end of " + t.Text
		case t.Text[0] == '\'' && strings.Contains(t.Text, `\`) && before == "e":
			return "tern would read " + t.Text + " as a string with escapes"
		}
	}
	return ""
}

// plainDollars says whether a dollar quote has no dollar inside.
func plainDollars(text string) bool {
	return strings.HasPrefix(text, "$") && strings.HasSuffix(text, "$") && strings.Count(text, "$") == 4
}
