package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

// Coverage says that every table of some schemas has a policy, is protected, or is exempt.
type Coverage struct {
	Schemas  []Name
	Exempt   []Exemption
	Position diag.Position // of the key
}

// Exemption is a table that may grow, and why, "" where the file does not say.
type Exemption struct {
	Table  Table
	Reason string
}

var coverageShape = shape{keys: []string{"schemas", "exempt"}}

func (r *reader) coverage(file mapping, install Install) *Coverage {
	f, ok := file.fields["coverage"]
	if !ok {
		return nil
	}
	m, ok := r.mapping(f, `"coverage"`, coverageShape)
	if !ok {
		return nil
	}
	c := &Coverage{Position: r.at(f.key)}
	if schemas, ok := m.require("schemas"); ok {
		c.Schemas = r.coveredSchemas(schemas, install.Schema)
	}
	if exempt, ok := m.fields["exempt"]; ok {
		c.Exempt = r.exemptions(exempt)
	}
	return c
}

func (r *reader) coveredSchemas(f field, runtime string) []Name {
	var names []Name
	items := r.list(f)
	for _, item := range items {
		parts, ok := r.identifier(item, "a schema", 1)
		if !ok {
			continue
		}
		name := Name{parts[0], r.at(item.value)}
		switch {
		case name.Text == runtime:
			r.add(codeReserved, name.Position, fmt.Sprintf("schema %q is not allowed in \"schemas\"", name.Text), "Its tables have a policy of their own.", "Take it out.")
		case name.Text == "information_schema" || strings.HasPrefix(name.Text, "pg_"):
			r.add(codeReserved, name.Position, fmt.Sprintf("schema %q is not allowed in \"schemas\"", name.Text), "It is PostgreSQL's own.", "Name schemas with tables of yours.")
		case slices.ContainsFunc(names, func(other Name) bool { return other.Text == name.Text }):
			r.add(codeRunTwice, name.Position, fmt.Sprintf("schema %q is already listed in \"schemas\"", name.Text), "", "")
		}
		names = append(names, name)
	}
	if node := resolve(f.value); node.Kind == yaml.SequenceNode && len(items) == 0 {
		r.add(codeMissing, r.at(f.key), `"schemas" is empty`, "", "Name a schema, or take \"coverage\" out.")
	}
	return names
}

// exemptions are a list of tables, or a map of tables to reasons.
func (r *reader) exemptions(f field) []Exemption {
	var list []Exemption
	switch resolve(f.value).Kind {
	case yaml.SequenceNode:
		for _, t := range r.tables(f) {
			list = append(list, Exemption{Table: t})
		}
	case yaml.MappingNode:
		m, _ := r.mapping(f, `"exempt"`, shape{})
		for _, key := range m.order {
			list = r.exemption(list, m.fields[key])
		}
	default:
		r.wrongKind(f, `"exempt"`, "a list of tables, or a map of tables to reasons")
	}
	return list
}

func (r *reader) exemption(list []Exemption, f field) []Exemption {
	t, known := r.table(field{value: f.key, list: "exempt"})
	reason, told := r.text(f)
	if !known || !told {
		return list
	}
	if strings.TrimSpace(reason) == "" {
		r.add(codeMissing, r.at(f.value), fmt.Sprintf("the reason why table %q is exempt is empty", t), "", "Say why it may grow, or write a list of tables.")
	}
	if slices.ContainsFunc(list, func(e Exemption) bool { return e.Table.same(t) }) {
		r.add(codeRunTwice, t.Position, fmt.Sprintf("table %q is already listed in \"exempt\"", t), "", "")
	}
	return append(list, Exemption{t, reason})
}

// exempted checks that each exemption has a use.
func (r *reader) exempted(f *File) {
	if f.Coverage == nil {
		return
	}
	for _, e := range f.Coverage.Exempt {
		covered := slices.ContainsFunc(f.Coverage.Schemas, func(n Name) bool { return n.Text == e.Table.Schema })
		if !covered && len(f.Coverage.Schemas) > 0 {
			r.add(codeConflict, e.Table.Position, fmt.Sprintf("table %q is exempt, and its schema is not covered", e.Table), "Tables of other schemas are not looked at anyway.",
				fmt.Sprintf("Add %q to \"schemas\", or take the exemption out.", e.Table.Schema))
		}
		if what := f.covering(e.Table); what != "" {
			r.add(codeConflict, e.Table.Position, fmt.Sprintf("table %q is exempt, and %s", e.Table, what), "", "Take the exemption out.")
		}
	}
}

// covering says, for messages, what the file does about a table beside an exemption; "" for nothing.
func (f *File) covering(t Table) string {
	for _, p := range f.Protect {
		if p.same(t) {
			return fmt.Sprintf("protected at %s", p.Position)
		}
	}
	for _, p := range f.Policies {
		for _, use := range p.Covers() {
			if use.Table.same(t) && !use.Reached {
				return fmt.Sprintf("policy %q at %s is about its rows", p.Name, p.Position)
			}
		}
	}
	return ""
}

// Covers lists the tables whose rows do not stay for ever as they are, by this policy: those it takes
// rows from or, of its own table, changes rows of; and those that a delete reaches by foreign key,
// where the catalog tells whether rows go. What it only writes to grows.
func (p *Policy) Covers() []Use {
	var list []Use
	for i, use := range p.Uses() {
		own := i == 0 || use.Table.same(p.Table)
		if use.Access.Delete || use.Reached || own && (use.Access.Update || p.Partitions) {
			list = append(list, use)
		}
	}
	return list
}
