package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/quote"
	verifysql "pgretain/sql/verify"
)

// makeup is what the runtime's relations consist of, and what they should.
type makeup struct {
	objects      map[string]generator.Object // wanted and there, by their names in the schema
	wanted, live map[factKey]string
	recorded     map[string]bool // relations of which anything is known: those of policies have no record
}

// factKey names a fact: a column, a constraint, a trigger, ...
type factKey struct{ relation, kind, name string }

func keyOf(f verifysql.Fact) factKey { return factKey{f.Relation, f.Kind, f.Name} }

// has says whether a relation has a live fact of a kind under the same name.
func (m makeup) has(f verifysql.Fact, kind string) bool {
	_, found := m.live[factKey{f.Relation, kind, f.Name}]
	return found
}

// wants says whether it should have one.
func (m makeup) wants(f verifysql.Fact, kind string) bool {
	_, found := m.wanted[factKey{f.Relation, kind, f.Name}]
	return found
}

// checkMakeup compares the relations that are there with those of a fresh install. The queries of views are left out
// where nobody knows how this version of PostgreSQL prints them.
func (v *inspection) checkMakeup(r reading) error {
	recorded, err := verifysql.Recorded()
	if err != nil {
		return err
	}
	major, err := collectRow[struct{ Version string }](r, "major_version")
	if err != nil {
		return err
	}
	if err := r.exec("relation_path", v.install.Schema); err != nil {
		return err
	}
	names := mapped(v.relations(), v.inSchema)
	live, err := collectRows[verifysql.Fact](r, "relation_facts", v.install.Schema, names)
	if err != nil {
		return err
	}
	wanted := slices.Concat(recorded.Facts, recorded.Queries[major.Version])
	m := makeup{map[string]generator.Object{}, map[factKey]string{}, map[factKey]string{}, map[string]bool{}}
	for _, f := range wanted {
		m.wanted[keyOf(f)], m.recorded[f.Relation] = f.Text, true
	}
	relations := v.relations()
	for _, f := range live {
		m.live[keyOf(f)], m.objects[f.Relation] = f.Text, relations[slices.Index(names, f.Relation)]
	}
	for _, f := range wanted {
		if o, there := m.objects[f.Relation]; there && m.lacks(f) {
			v.notAsInstalled(o, f, m)
		}
	}
	for _, f := range live {
		switch o := m.objects[f.Relation]; {
		case slices.Contains(interceptors, f.Kind):
			v.intercepted(o, f)
		case m.exceeds(f):
			v.about(o, message{Code: codeNotAsInstalled, Message: factName(o, f) + " is not the runtime's", Got: f.Text, Hint: removeHint(o, f)})
		}
	}
	return nil
}

func (v *inspection) relations() []generator.Object {
	return v.objects(generator.KindType, generator.KindTable, generator.KindView, generator.KindStored)
}

// inSchema is a relation's name without the runtime's schema.
func (v *inspection) inSchema(o generator.Object) string {
	return strings.TrimPrefix(o.Name, v.install.Schema+".")
}

// lacks says whether a wanted fact is missing or another one, and nothing else says so already.
func (m makeup) lacks(f verifysql.Fact) bool {
	got, found := m.live[keyOf(f)]
	query := factKey{f.Relation, "query", ""}
	switch {
	case found && got == f.Text:
		return false
	case f.Kind == "not null" || f.Kind == "default" || f.Kind == "sequence":
		return m.has(f, "column") && (f.Kind != "sequence" || found)
	case f.Kind == "unique index" && m.wants(f, "constraint"):
		return m.has(f, "constraint")
	case f.Kind == "column" && m.wanted[query] != "": // of a view, whose query says more
		return m.live[query] == m.wanted[query]
	}
	return true
}

// exceeds says whether a live fact that nobody wants is in the way of what the runtime does: further columns
// that need no value, and indexes that refuse nothing, are not.
func (m makeup) exceeds(f verifysql.Fact) bool {
	if m.wants(f, f.Kind) || !m.recorded[f.Relation] {
		return false
	}
	switch f.Kind {
	case "column":
		return m.objects[f.Relation].Kind != generator.KindTable // a type's or a view's: values have another shape
	case "constraint", "option":
		return true
	case "unique index":
		return !m.has(f, "constraint")
	case "default":
		return m.wants(f, "column")
	case "not null":
		return m.wants(f, "column") || !m.has(f, "default") && !strings.Contains(m.live[factKey{f.Relation, "column", f.Name}], " GENERATED")
	}
	return false
}

// notAsInstalled is about a fact that is missing or another one.
func (v *inspection) notAsInstalled(o generator.Object, f verifysql.Fact, m makeup) {
	got, found := m.live[keyOf(f)]
	finding := message{Code: codeNotAsInstalled, Message: factName(o, f) + " is missing", Want: f.Text, Hint: factHint(o, f, m)}
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
	table, name := "ALTER TABLE "+own(o.Name), quote.Ident(f.Name)
	column := table + " ALTER COLUMN " + name
	_, found := m.live[keyOf(f)]
	switch {
	case f.Kind == "column":
		return columnHint(o, f, m, found)
	case f.Kind == "not null":
		return column + " SET NOT NULL;"
	case f.Kind == "default":
		return column + " SET DEFAULT " + f.Text + ";"
	case f.Kind == "sequence":
		return column + " SET " + strings.NewReplacer(" MINVALUE", " SET MINVALUE", " MAXVALUE", " SET MAXVALUE").Replace(f.Text) + " SET NO CYCLE;"
	case f.Kind == "constraint" && found:
		return fmt.Sprintf("%s DROP CONSTRAINT %s, ADD CONSTRAINT %s %s;", table, name, name, f.Text)
	case f.Kind == "constraint":
		return fmt.Sprintf("%s ADD CONSTRAINT %s %s;", table, name, f.Text)
	case f.Kind == "unique index" && m.wants(f, "constraint"):
		return fmt.Sprintf("REINDEX INDEX %s;", besides(o, f.Name))
	case f.Kind == "index" || f.Kind == "unique index":
		create := strings.Replace(f.Text, " ON "+quote.Ident(f.Relation)+" ", " ON "+own(o.Name)+" ", 1)
		return fmt.Sprintf("DROP INDEX IF EXISTS %s;\n%s;", besides(o, f.Name), create)
	case f.Kind == "storage":
		return table + " SET LOGGED;"
	}
	return repairHint
}

// columnHint is for a column that is missing or of another type.
func columnHint(o generator.Object, f verifysql.Fact, m makeup, found bool) string {
	name := quote.Ident(f.Name)
	add := fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", own(o.Name), name, f.Text)
	value, hasValue := m.wanted[factKey{f.Relation, "default", f.Name}]
	switch {
	case o.Kind != generator.KindTable:
		return repairHint
	case strings.Contains(f.Text, " GENERATED"):
		return "Make it an identity column again, whose sequence goes on beyond the largest value."
	case found:
		return fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s USING %s::%s;", own(o.Name), name, f.Text, name, f.Text)
	case hasValue && m.wants(f, "not null"):
		return add + " NOT NULL DEFAULT " + value + ";"
	case hasValue:
		return add + " DEFAULT " + value + ";"
	case m.wants(f, "not null"):
		return "Add the column again, with a value for each row that is there."
	}
	return add + ";"
}

// removeHint takes away what is not the runtime's.
func removeHint(o generator.Object, f verifysql.Fact) string {
	table, name := "ALTER TABLE "+own(o.Name), quote.Ident(f.Name)
	switch {
	case f.Kind == "column" && o.Kind == generator.KindType:
		return fmt.Sprintf("ALTER TYPE %s DROP ATTRIBUTE %s;", own(o.Name), name)
	case f.Kind == "column":
		return repairHint
	case f.Kind == "constraint":
		return fmt.Sprintf("%s DROP CONSTRAINT %s;", table, name)
	case f.Kind == "not null":
		return fmt.Sprintf("%s ALTER COLUMN %s DROP NOT NULL;", table, name)
	case f.Kind == "default":
		return fmt.Sprintf("%s ALTER COLUMN %s DROP DEFAULT;", table, name)
	case f.Kind == "unique index":
		return fmt.Sprintf("DROP INDEX %s;", besides(o, f.Name))
	}
	return fmt.Sprintf("ALTER VIEW %s RESET (%s);", own(o.Name), name) // an option
}

// besides is the name of something in the same schema as SQL takes it.
func besides(o generator.Object, name string) string {
	schema, _, _ := strings.Cut(o.Name, ".")
	return quote.Ident(schema) + "." + quote.Ident(name)
}

// interceptors are kinds of facts that no table of the runtime has.
var interceptors = []string{"trigger", "rule", "row security", "reference", "parent", "child"}

// intercepted is about what makes statements of the runtime's functions do something else, or nothing.
func (v *inspection) intercepted(o generator.Object, f verifysql.Fact) {
	about, table, name := fmt.Sprintf("table %q", o.Name), own(o.Name), quote.Ident(f.Name)
	m := message{Code: codeIntercepted}
	switch f.Kind {
	case "trigger":
		m.Message = fmt.Sprintf("trigger %q acts on %s", f.Name, about)
		m.Detail = f.Text + ". It runs with the rights of whoever writes there, and can change or keep back what the runtime writes."
		m.Hint = fmt.Sprintf("DROP TRIGGER %s ON %s;", name, table)
	case "rule":
		m.Message = fmt.Sprintf("rule %q acts on %s", f.Name, about)
		m.Detail = f.Text + ": statements of the runtime do something else as well, or instead."
		m.Hint = fmt.Sprintf("DROP RULE %s ON %s;", name, table)
	case "row security":
		m.Message = "row security is on for " + about
		m.Detail = "Runs fail, and who looks may be shown a part of the rows, such as no pause and no hold."
		m.Hint = fmt.Sprintf("ALTER TABLE %s DISABLE ROW LEVEL SECURITY;", table)
	case "reference":
		referring, _, _ := strings.Cut(f.Text, ": ")
		m.Message = fmt.Sprintf("foreign key %q refers to %s", f.Name, about)
		m.Detail = fmt.Sprintf("Of table %s. The runtime cannot purge rows that it refers to. With ON DELETE CASCADE or SET NULL it could.", f.Text)
		m.Hint = fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s;", referring, name)
	case "parent":
		m.Message = fmt.Sprintf("%s inherits from %s", about, f.Name)
		m.Detail = "Statements on that table change the runtime's rows too."
		m.Hint = fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", table, f.Name)
	case "child":
		m.Message = fmt.Sprintf("%s inherits from %s", f.Name, about)
		m.Detail = "The runtime reads and changes the rows of that table too."
		m.Hint = fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", f.Name, table)
	}
	v.about(o, m)
}
