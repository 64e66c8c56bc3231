package verifier

import (
	"regexp"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// readTables are the tables that functions read or write: those that are named, and those of expressions,
// whose schema is "" where the search path says which it is.
func readTables(uses []policy.Use, parts []policy.Part) []policy.Table {
	var list []policy.Table
	for _, use := range uses {
		list = append(list, use.Table)
	}
	for _, part := range parts {
		list = append(list, part.Tables()...)
	}
	return list
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// sqlName is a name as people write it in SQL: quoted where it has to be.
func sqlName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return quote.Ident(name)
}
