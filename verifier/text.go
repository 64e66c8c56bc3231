package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// distinct returns the names sorted and without duplicates. The result is never nil, which the
// server would read as NULL.
func distinct(names []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(names)))...)
}

func quoted(text string) string { return `"` + text + `"` }

// counted returns a number with its noun: "1 row", "2 rows".
func counted(n int, one, several string) string {
	if n != 1 {
		one = several
	}
	return fmt.Sprintf("%d %s", n, one)
}

// Hints hold SQL that can be pasted into psql as it is, each statement with its semicolon.

// tableParts splits "schema.name". The catalog snapshot says where the schema ends, because names
// may contain dots.
func (v *inspection) tableParts(name string) (schema, table string) {
	if t := v.opt.Snapshot.Table(name); t != nil {
		return t.Schema, t.Name
	}
	schema, table, _ = strings.Cut(name, ".")
	return schema, table
}

// runtime returns the qualified name of an object of the runtime.
func (v *inspection) runtime(name string) string { return quote.Ident(v.install.Schema) + "." + name }

// buildHint returns the statements with which a migration builds an index. A user can execute them
// again, even after a failed build.
func (v *inspection) buildHint(o generator.Object, live index) string {
	return v.inPath(buildOn(live.WantedKind, statements(o.SQL)))
}

// rebuildHint returns a DROP INDEX, followed by the statements that build the index. It does not
// delete the recorded definition.
func (v *inspection) rebuildHint(o generator.Object, live index) string {
	drop := slices.DeleteFunc(statements(o.Drop), func(s string) bool { return strings.HasPrefix(s, "DELETE ") })
	if live.Partitioned {
		drop = buildOn("p", drop)
	}
	return v.inPath(append(drop, buildOn(live.WantedKind, statements(o.SQL))...))
}

// moveHint returns statements that give the name of an index on another table to an index of the
// wanted table. The index of a partition becomes a part of the new index. Otherwise the statements
// drop it.
func (v *inspection) moveHint(o generator.Object, live index) string {
	if !live.OfPartition {
		return v.rebuildHint(o, live)
	}
	schema, name, _ := strings.Cut(o.Name, ".")
	free := []string{
		fmt.Sprintf("COMMENT ON INDEX %s IS NULL;", quote.Qualified(schema, name)),
		fmt.Sprintf("ALTER INDEX %s RENAME TO %s;", quote.Qualified(schema, name), quote.Ident(name+"_part")),
	}
	return v.inPath(append(free, buildOn(live.WantedKind, statements(o.SQL))...))
}

// buildOn returns statements about an index for a table of the given kind (pg_class.relkind). The
// index of a partitioned table cannot be built or dropped CONCURRENTLY.
func buildOn(kind string, statements []string) []string {
	if kind != "p" {
		return statements
	}
	return lists.Map(statements, func(s string) string {
		if strings.Contains(s, " ON ONLY ") || strings.Contains(s, "_invalid") {
			return s
		}
		return strings.Replace(s, " INDEX CONCURRENTLY ", " INDEX ", 1)
	})
}

// inPath returns the statements, with the search path of migrations set around them. So operators
// have the same meaning as in a migration.
func (v *inspection) inPath(statements []string) string {
	return "SET search_path = " + v.searchPath() + ";\n" + strings.Join(append(statements, "RESET search_path;"), "\n")
}

// statements returns the statements of an object's SQL, without comments above them.
func statements(sql string) []string {
	return lists.Map(strings.Split(sql, "-- next\n"), func(statement string) string {
		for strings.HasPrefix(statement, "--") {
			_, statement, _ = strings.Cut(statement, "\n")
		}
		return strings.TrimSpace(statement)
	})
}
