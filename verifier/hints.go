package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// Hints hold SQL that can be pasted into psql as it is, each statement with its semicolon.

// repairHint is for what a migration created and a hand changed: no migration is pending then.
const repairHint = "Run its statements from the last migration that has them again, in the role that the migration takes."

// ident is a name as SQL takes it, in quotes where it needs them.
func ident(name string) string {
	if parts, err := pgparse.Name(name); err == nil && len(parts) == 1 && parts[0] == name {
		return name
	}
	return quote.Ident(name)
}

// idents is a list of names.
func idents(names []string) string { return commas(names, ident) }

func commas(names []string, written func(string) string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = written(name)
	}
	return strings.Join(list, ", ")
}

// own is the name of a routine or relation in the runtime's schema, "schema.name", as SQL takes it. That schema's
// name has no dot.
func own(name string) string {
	schema, object, _ := strings.Cut(name, ".")
	return ident(schema) + "." + ident(object)
}

// routineSQL is own of a wanted routine, "schema.name(types)": its name is plain, and its types are SQL.
func routineSQL(name string) string {
	name, arguments, _ := strings.Cut(name, "(")
	return own(name) + "(" + arguments
}

// objectSQL is own of a wanted object of any kind in the runtime's schema.
func objectSQL(o generator.Object) string {
	if o.Kind == generator.KindFunction || o.Kind == generator.KindProcedure {
		return routineSQL(o.Name)
	}
	return own(o.Name)
}

// tableParts are schema and name of "schema.name". The catalog snapshot tells where the first ends, for names may
// have dots.
func (v *inspection) tableParts(name string) (schema, table string) {
	if v.opt.Snapshot != nil {
		for _, t := range v.opt.Snapshot.Tables {
			if len(t.Schema)+1+len(t.Name) == len(name) && t.Schema+"."+t.Name == name {
				return t.Schema, t.Name
			}
		}
	}
	schema, table, _ = strings.Cut(name, ".")
	return schema, table
}

// table is "schema.name" as SQL takes it.
func (v *inspection) table(name string) string {
	schema, table := v.tableParts(name)
	return ident(schema) + "." + ident(table)
}

// runtime is an object of the runtime as SQL takes it.
func (v *inspection) runtime(name string) string { return ident(v.install.Schema) + "." + name }

// as has a role run a statement.
func as(role, statement string) string {
	return fmt.Sprintf("SET ROLE %s; %s RESET ROLE;", ident(role), statement)
}

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
	path := append(append([]string{"pg_catalog"}, v.install.SearchPath...), "pg_temp")
	return strings.Join(slices.Concat([]string{"SET search_path = " + idents(path) + ";"}, statements, []string{"RESET search_path;"}), "\n")
}

// statements are those of an object's SQL, without the comment above each.
func statements(sql string) []string {
	var list []string
	for _, statement := range strings.Split(sql, "-- next\n") {
		for strings.HasPrefix(statement, "--") {
			_, statement, _ = strings.Cut(statement, "\n")
		}
		list = append(list, strings.TrimSpace(statement))
	}
	return list
}
