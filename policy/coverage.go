package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/lists"
)

// Coverage says that every table of some schemas has a policy, is protected, or is exempt.
type Coverage struct {
	Schemas []Name     `yaml:"schemas,required,filled,schema that is covered"`
	Exempt  exemptions `yaml:"exempt"`
}

// Exemption is a table that may grow, and why, "" where the file does not say.
type Exemption struct {
	Table  Table
	Reason string
}

type exemptions []Exemption

// read reads a list of tables, or a map of tables to reasons.
func (e *exemptions) read(r *reader, f field) {
	switch resolve(f.value).Kind {
	case yaml.SequenceNode:
		var tables []Table
		r.read(f, &tables, "table")
		*e = lists.Map(tables, func(t Table) Exemption { return Exemption{Table: t} })
	case yaml.MappingNode:
		m := r.mapping(f, `"exempt"`, nil)
		for _, key := range m.order {
			r.try(func() { e.reason(r, m.fields[key]) })
		}
	default:
		r.wrongKind(f, `"exempt"`, "a list of tables, or a map of tables to reasons")
	}
}

func (e *exemptions) reason(r *reader, f field) {
	t := r.table(field{value: f.key, list: "exempt"})
	reason := r.text(f)
	if strings.TrimSpace(reason) == "" {
		r.add("P005 reason", r.at(f.value), t)
	}
	if slices.ContainsFunc(*e, func(other Exemption) bool { return other.Table.same(t) }) {
		r.add("P026 exempt", t.Position, t)
	}
	*e = append(*e, Exemption{t, reason})
}

// checkCoverage checks that each schema may be covered, and that each exemption has a use.
func (r *reader) checkCoverage(f *File) {
	if f.Coverage == nil {
		return
	}
	schemas := f.Coverage.Schemas
	for _, name := range schemas {
		if name.Text == f.Install.Schema {
			r.add("P008 covered", name.Position, name)
		}
	}
	for _, e := range f.Coverage.Exempt {
		if len(schemas) > 0 && !slices.ContainsFunc(schemas, func(n Name) bool { return n.Text == e.Table.Schema }) {
			r.add("P017 exempt", e.Table.Position, e.Table)
		}
		if what := f.covering(e.Table); what != "" {
			r.add("P017 idle", e.Table.Position, words{"Table": e.Table, "What": what})
		}
	}
}

// covering says, for messages, what the file does about a table beside an exemption; "" for nothing.
func (f *File) covering(t Table) string {
	if i := slices.IndexFunc(f.Protect, t.same); i >= 0 {
		return fmt.Sprintf("protected at %s", f.Protect[i].Position)
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

// check holds that the suppression is of one of policy, table and object at most, and of a policy that is there.
func (s *Suppression) check(r *reader, m mapping) {
	if check, ok := m.fields["check"]; ok {
		s.Position = r.at(check.value)
	}
	if names := r.model.Runnable(); m.has("policy") && !slices.Contains(names, s.Policy) {
		r.add("P048 policy", r.at(m.fields["policy"].value), words{"Name": s.Policy, "Known": names})
	}
	subjects := slices.DeleteFunc(slices.Clone(m.order), func(key string) bool {
		return key != "policy" && key != "table" && key != "object"
	})
	for _, key := range subjects[min(1, len(subjects)):] {
		m.exclusive("P017 subjects", subjects[0], key)
	}
}
