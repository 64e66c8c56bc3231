package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	verifysql "pgretain/sql/verify"
)

var codeNotAsInstalled = register("V017", Installed, "a type, table or view of the runtime is not as it was installed")

// notAsInstalled is about a fact that is missing or another one.
func (v *inspection) notAsInstalled(o generator.Object, f verifysql.Fact, m makeup) {
	got, found := m.live[keyOf(f)]
	finding := Finding{Code: codeNotAsInstalled, Message: factName(o, f) + " is missing", Want: f.Text, Hint: factHint(o, f, m)}
	if found {
		finding.Message, finding.Got = factName(o, f)+" is not as it was installed", got
	}
	switch f.Kind {
	case "query": // of which there is but a hash
		finding.Want, finding.Got = "", ""
	case "index", "unique index":
		if !found {
			finding.Message, finding.Want = factName(o, f)+" is missing or invalid", ""
		}
	}
	v.about(o, finding)
}

// moreThanInstalled is about one that the runtime has not.
func (v *inspection) moreThanInstalled(o generator.Object, f verifysql.Fact) {
	v.about(o, Finding{Code: codeNotAsInstalled, Message: factName(o, f) + " is not the runtime's", Got: f.Text, Hint: removeHint(o, f)})
}

// factName says what a fact is about.
func factName(o generator.Object, f verifysql.Fact) string {
	where := fmt.Sprintf("%s %q", strings.ToLower(sqlKind(o.Kind)), o.Name)
	switch f.Kind {
	case "not null":
		return fmt.Sprintf("NOT NULL of column %q of %s", f.Name, where)
	case "default", "sequence":
		return fmt.Sprintf("the %s of column %q of %s", f.Kind, f.Name, where)
	case "storage", "query":
		return fmt.Sprintf("the %s of %s", f.Kind, where)
	case "unique index":
		return fmt.Sprintf("index %q of %s", f.Name, where)
	}
	return fmt.Sprintf("%s %q of %s", f.Kind, f.Name, where)
}

// factHint brings back what the record has; a sentence where that takes more than a statement.
func factHint(o generator.Object, f verifysql.Fact, m makeup) string {
	table, name := "ALTER TABLE "+own(o.Name), sqlName(f.Name)
	_, found := m.live[keyOf(f)]
	switch {
	case f.Kind == "column":
		return columnHint(o, f, m, found)
	case f.Kind == "not null":
		return fmt.Sprintf("%s ALTER COLUMN %s SET NOT NULL;", table, name)
	case f.Kind == "default":
		return fmt.Sprintf("%s ALTER COLUMN %s SET DEFAULT %s;", table, name, f.Text)
	case f.Kind == "sequence":
		return fmt.Sprintf("%s ALTER COLUMN %s SET %s SET NO CYCLE;", table, name, strings.NewReplacer(" MINVALUE", " SET MINVALUE", " MAXVALUE", " SET MAXVALUE").Replace(f.Text))
	case f.Kind == "constraint" && found:
		return fmt.Sprintf("%s DROP CONSTRAINT %s, ADD CONSTRAINT %s %s;", table, name, name, f.Text)
	case f.Kind == "constraint":
		return fmt.Sprintf("%s ADD CONSTRAINT %s %s;", table, name, f.Text)
	case f.Kind == "unique index" && m.wants(f, "constraint"):
		return fmt.Sprintf("REINDEX INDEX %s;", besides(o, f.Name))
	case f.Kind == "index" || f.Kind == "unique index":
		return fmt.Sprintf("DROP INDEX IF EXISTS %s;\n%s;", besides(o, f.Name), strings.Replace(f.Text, " ON "+sqlName(f.Relation)+" ", " ON "+own(o.Name)+" ", 1))
	case f.Kind == "storage":
		return table + " SET LOGGED;"
	}
	return repairHint
}

// columnHint is for a column that is missing or of another type.
func columnHint(o generator.Object, f verifysql.Fact, m makeup, found bool) string {
	table, name := "ALTER TABLE "+own(o.Name), sqlName(f.Name)
	value, hasValue := m.wanted[factKey{f.Relation, "default", f.Name}]
	switch {
	case o.Kind != generator.KindTable:
		return repairHint
	case strings.Contains(f.Text, " GENERATED"):
		return "Make it an identity column again, whose sequence goes on beyond the largest value."
	case found:
		return fmt.Sprintf("%s ALTER COLUMN %s TYPE %s USING %s::%s;", table, name, f.Text, name, f.Text)
	case hasValue && m.wants(f, "not null"):
		return fmt.Sprintf("%s ADD COLUMN %s %s NOT NULL DEFAULT %s;", table, name, f.Text, value)
	case hasValue:
		return fmt.Sprintf("%s ADD COLUMN %s %s DEFAULT %s;", table, name, f.Text, value)
	case m.wants(f, "not null"):
		return "Add the column again, with a value for each row that is there."
	}
	return fmt.Sprintf("%s ADD COLUMN %s %s;", table, name, f.Text)
}

// removeHint takes away what is not the runtime's.
func removeHint(o generator.Object, f verifysql.Fact) string {
	table, name := "ALTER TABLE "+own(o.Name), sqlName(f.Name)
	switch {
	case f.Kind == "column" && sqlKind(o.Kind) == "TYPE":
		return fmt.Sprintf("ALTER TYPE %s DROP ATTRIBUTE %s;", own(o.Name), name)
	case f.Kind == "column":
		return repairHint
	}
	switch f.Kind {
	case "constraint":
		return fmt.Sprintf("%s DROP CONSTRAINT %s;", table, name)
	case "not null":
		return fmt.Sprintf("%s ALTER COLUMN %s DROP NOT NULL;", table, name)
	case "default":
		return fmt.Sprintf("%s ALTER COLUMN %s DROP DEFAULT;", table, name)
	case "unique index":
		return fmt.Sprintf("DROP INDEX %s;", besides(o, f.Name))
	}
	return fmt.Sprintf("ALTER VIEW %s RESET (%s);", own(o.Name), name) // an option
}

// besides is the name of something in the same schema as SQL takes it.
func besides(o generator.Object, name string) string {
	schema, _, _ := strings.Cut(o.Name, ".")
	return ident(schema) + "." + sqlName(name)
}
