package pgparse

import (
	"regexp"
	"strconv"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// settingValue is one value of SET as proconfig keeps it: elements of search_path are identifiers
// and quoted where they must be, everything else is text.
func settingValue(name string, value *query.A_Const) string {
	switch {
	case value.GetSval() != nil && name == "search_path":
		return identifier(value.GetSval().Sval)
	case value.GetSval() != nil:
		return value.GetSval().Sval
	case value.GetFval() != nil:
		return value.GetFval().Fval
	}
	return strconv.Itoa(int(value.GetIval().GetIval()))
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// identifier quotes as the server's quote_identifier does: only where it must, and then also
// every keyword that is not unreserved.
func identifier(name string) string {
	tokens, err := scanAll(name)
	if plainName.MatchString(name) && err == nil && len(tokens) == 1 && !tokens[0].reserved {
		return name
	}
	return identifierQuoted(name)
}

func identifierQuoted(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
