package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// distinct sorts, and drops repetitions; it is never nil, which would be NULL to the server.
func distinct(names []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(names)))...)
}

func quoted(text string) string { return `"` + text + `"` }

// counted is "1 row", "2 rows".
func counted(n int, one, several string) string {
	if n != 1 {
		one = several
	}
	return fmt.Sprintf("%d %s", n, one)
}

// Hints hold SQL that can be pasted into psql as it is, each statement with its semicolon.

// repairHint is for what a migration created and a hand changed: no migration is pending then.
const repairHint = "Run its statements from the last migration that has them again, in the role that the migration takes."

// tableParts are schema and name of "schema.name". The catalog snapshot tells where the first ends, for names may
// have dots.
func (v *inspection) tableParts(name string) (schema, table string) {
	if t := v.opt.Snapshot.Table(name); t != nil {
		return t.Schema, t.Name
	}
	schema, table, _ = strings.Cut(name, ".")
	return schema, table
}

// runtime is an object of the runtime as SQL takes it.
func (v *inspection) runtime(name string) string { return quote.Ident(v.install.Schema) + "." + name }

// buildHint has the statements with which a migration builds an index, a line each or more. They may be
// repeated, also after a build that did not finish.
func (v *inspection) buildHint(o generator.Object) string { return v.inPath(statements(o.SQL)) }

// rebuildHint drops the index first; the row in which its definition was written down stays.
func (v *inspection) rebuildHint(o generator.Object) string {
	drop := slices.DeleteFunc(statements(o.Drop), func(s string) bool { return strings.HasPrefix(s, "DELETE ") })
	return v.inPath(append(drop, statements(o.SQL)...))
}

// inPath has statements run with the search path of migrations, which says what their operators mean.
func (v *inspection) inPath(statements []string) string {
	return "SET search_path = " + v.searchPath() + ";\n" + strings.Join(append(statements, "RESET search_path;"), "\n")
}

// statements are those of an object's SQL, without the comment above each.
func statements(sql string) []string {
	return lists.Map(strings.Split(sql, "-- next\n"), func(statement string) string {
		for strings.HasPrefix(statement, "--") {
			_, statement, _ = strings.Cut(statement, "\n")
		}
		return strings.TrimSpace(statement)
	})
}
