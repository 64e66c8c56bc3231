package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	verifysql "pgretain/sql/verify"
)

// makeup is what the runtime's relations consist of, and what they should.
type makeup struct {
	objects      map[string]generator.Object // wanted and there, by their names in the schema
	wanted, live map[factKey]string
}

// factKey names a fact: a column, a constraint, a trigger, ...
type factKey struct{ relation, kind, name string }

func keyOf(f verifysql.Fact) factKey { return factKey{f.Relation, f.Kind, f.Name} }

// has says whether a relation has a live fact of another kind under the same name.
func (m makeup) has(f verifysql.Fact, kind string) bool {
	_, found := m.live[factKey{f.Relation, kind, f.Name}]
	return found
}

// wants says whether it should have one.
func (m makeup) wants(f verifysql.Fact, kind string) bool {
	_, found := m.wanted[factKey{f.Relation, kind, f.Name}]
	return found
}

// checkMakeup compares the relations that are there with those of a fresh install.
func (v *inspection) checkMakeup(ctx context.Context, tx pgx.Tx) error {
	wanted, err := v.recordedFacts(ctx, tx)
	if err != nil {
		return err
	}
	live, err := v.liveFacts(ctx, tx)
	if err != nil {
		return err
	}
	m := v.makeup(wanted, live)
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
			v.moreThanInstalled(o, f)
		}
	}
	return nil
}

// recordedFacts are those of a fresh install. The queries of views are left out where nobody knows how this
// version of PostgreSQL prints them.
func (v *inspection) recordedFacts(ctx context.Context, tx pgx.Tx) ([]verifysql.Fact, error) {
	recorded, err := verifysql.Recorded()
	if err != nil {
		return nil, err
	}
	major, err := one[struct{ Version string }](ctx, tx, v.query("major_version"))
	return append(slices.Clone(recorded.Facts), recorded.Queries[major.Version]...), err
}

func (v *inspection) liveFacts(ctx context.Context, tx pgx.Tx) ([]verifysql.Fact, error) {
	var names []string
	for _, o := range v.relations() {
		names = append(names, v.inSchema(o))
	}
	if _, err := tx.Exec(ctx, v.query("relation_path"), v.install.Schema); err != nil {
		return nil, err
	}
	return seen[verifysql.Fact](ctx, tx, v.query("relation_facts"), v.install.Schema, names)
}

func (v *inspection) makeup(wanted, live []verifysql.Fact) makeup {
	m := makeup{objects: map[string]generator.Object{}, wanted: map[factKey]string{}, live: map[factKey]string{}}
	there := map[string]bool{}
	for _, f := range live {
		m.live[keyOf(f)], there[f.Relation] = f.Text, true
	}
	for _, f := range wanted {
		m.wanted[keyOf(f)] = f.Text
	}
	for _, o := range v.relations() {
		if name := v.inSchema(o); there[name] {
			m.objects[name] = o
		}
	}
	return m
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
	query := verifysql.Fact{Relation: f.Relation, Kind: "query"}
	switch {
	case found && got == f.Text:
		return false
	case f.Kind == "not null" || f.Kind == "default" || f.Kind == "sequence":
		return m.has(f, "column") && (f.Kind != "sequence" || found)
	case f.Kind == "unique index" && m.wants(f, "constraint"):
		return m.has(f, "constraint")
	case f.Kind == "column" && m.wants(query, "query"): // of a view, whose query says more
		return m.live[keyOf(query)] == m.wanted[keyOf(query)]
	}
	return true
}

// exceeds says whether a live fact that nobody wants is in the way of what the runtime does: further columns
// that need no value, and indexes that refuse nothing, are not.
func (m makeup) exceeds(f verifysql.Fact) bool {
	if m.wants(f, f.Kind) || !m.recorded(f.Relation) {
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

// recorded says whether anything is known of a relation: those of policies have no record.
func (m makeup) recorded(relation string) bool {
	for key := range m.wanted {
		if key.relation == relation {
			return true
		}
	}
	return false
}

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

var codeIntercepted = register("V016", Installed, "something else acts on a table of the runtime")

// interceptors are kinds of facts that no table of the runtime has.
var interceptors = []string{"trigger", "rule", "row security", "reference", "parent", "child"}

// intercepted is about what makes statements of the runtime's functions do something else, or nothing.
func (v *inspection) intercepted(o generator.Object, f verifysql.Fact) {
	about, table := fmt.Sprintf("table %q", o.Name), own(o.Name)
	referring, _, _ := strings.Cut(f.Text, ": ")
	finding := map[string]Finding{
		"trigger": {Message: fmt.Sprintf("trigger %q acts on %s", f.Name, about),
			Detail: f.Text + ". It runs with the rights of whoever writes there, and can change or keep back what the runtime writes.",
			Hint:   fmt.Sprintf("DROP TRIGGER %s ON %s;", sqlName(f.Name), table)},
		"rule": {Message: fmt.Sprintf("rule %q acts on %s", f.Name, about),
			Detail: f.Text + ": statements of the runtime do something else as well, or instead.",
			Hint:   fmt.Sprintf("DROP RULE %s ON %s;", sqlName(f.Name), table)},
		"row security": {Message: "row security is on for " + about,
			Detail: "Runs fail, and who looks may be shown a part of the rows, such as no pause and no hold.",
			Hint:   fmt.Sprintf("ALTER TABLE %s DISABLE ROW LEVEL SECURITY;", table)},
		"reference": {Message: fmt.Sprintf("foreign key %q refers to %s", f.Name, about),
			Detail: fmt.Sprintf("Of table %s. The runtime cannot purge rows that it refers to. With ON DELETE CASCADE or SET NULL it could.", f.Text),
			Hint:   fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s;", referring, sqlName(f.Name))},
		"parent": {Message: fmt.Sprintf("%s inherits from %s", about, f.Name),
			Detail: "Statements on that table change the runtime's rows too.",
			Hint:   fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", table, f.Name)},
		"child": {Message: fmt.Sprintf("%s inherits from %s", f.Name, about),
			Detail: "The runtime reads and changes the rows of that table too.",
			Hint:   fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", f.Name, table)},
	}[f.Kind]
	finding.Code = codeIntercepted
	v.about(o, finding)
}
