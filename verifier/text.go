package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	"pgretain/internal/quote"
)

func quoted(text string) string { return `"` + text + `"` }

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
	return v.inPath(o.Index.Build(live.WantedKind == "p"))
}

// rebuildHint returns a DROP INDEX, followed by the statements that build the index. It does not
// delete the recorded definition.
func (v *inspection) rebuildHint(o generator.Object, live index) string {
	return v.inPath(o.Index.Remove(live.Partitioned) + o.Index.Build(live.WantedKind == "p"))
}

// moveHint returns statements that give the name of an index on another table to an index of the
// wanted table. The index of a partition becomes a part of the new index. Otherwise the statements
// drop it.
func (v *inspection) moveHint(o generator.Object, live index) string {
	if !live.OfPartition {
		return v.rebuildHint(o, live)
	}
	schema, name, _ := strings.Cut(o.Name, ".")
	free := fmt.Sprintf("COMMENT ON INDEX %s IS NULL;", quote.Qualified(schema, name)) + "\n" +
		fmt.Sprintf("ALTER INDEX %s RENAME TO %s;", quote.Qualified(schema, name), quote.Ident(name+"_part")) + "\n"
	return v.inPath(free + o.Index.Build(live.WantedKind == "p"))
}

// inPath returns statements, with the search path of migrations set around them. So operators have
// the same meaning as in a migration.
func (v *inspection) inPath(statements string) string {
	return "SET search_path = " + v.searchPath() + ";\n" + statements + "RESET search_path;"
}
