package generator

import (
	"regexp"

	"pgretain/internal/pgparse"
)

// psqlTool writes scripts that psql runs as they stand: the transaction is in them, and an error ends
// them. psql remembers nothing: whoever runs a script knows which one is next.
// https://www.postgresql.org/docs/current/app-psql.html
var psqlTool = tool{
	format: Psql, width: 5, separator: "_", suffix: ".up.sql", downSuffix: ".down.sql",
	frame: psqlFrame, refusal: psqlRefusal,
}

func psqlFrame(l tool, p part, w ways) []File {
	name := l.downName(p.Name)
	return []File{
		{p.Name, p.sealed(pieces{l.head(p, p.forward(name)), "\n", psqlScript(w.up.String(), p.noTransaction)})},
		{name, p.sealed(pieces{l.head(p, p.backward(p.Name)), "\n", psqlScript(w.down.String(), p.noTransaction)})},
	}
}

// psqlScript is a way with what goose and its kin do for the files of their own.
func psqlScript(text string, noTransaction bool) string {
	return execute("psql.sql.tmpl", map[string]any{"Text": text, "Transaction": !noTransaction})
}

// psqlVariable is what psql may replace. A number may be a name, but nobody's: slices have them.
var psqlVariable = regexp.MustCompile(`^:(['"{]|[0-9]*[A-Za-z_\x{80}-\x{10FFFF}])[^ \n\])]*`)

// psqlRefusal: outside of quotes psql puts a variable in the place of :name. Which variables there are
// only the session knows, so that none may be named.
func psqlRefusal(text string, _ bool) string {
	tokens, err := pgparse.Tokens(text)
	if err != nil {
		return "text cannot be split into statements: " + err.Error()
	}
	for _, t := range tokens {
		if t.Text == `\` {
			return "psql would take what follows a backslash for a command of its own"
		}
		if t.Text == ":" {
			if name := psqlVariable.FindString(text[t.Offset:]); name != "" {
				return "psql would put a variable in the place of " + name + "; write a space after the colon"
			}
		}
	}
	return ""
}
