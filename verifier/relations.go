package verifier

import (
	"context"
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
