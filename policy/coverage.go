package policy

import (
	"go.yaml.in/yaml/v3"

	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

// Coverage requires a policy, a protection or an exemption for every table of some schemas.
type Coverage struct {
	Schemas []Name     `yaml:"schemas,required,filled,schema that is covered"`
	Exempt  exemptions `yaml:"exempt"`
}

// Exemption is a table that needs no policy. Reason is "" if the file gives none.
type Exemption struct {
	Table  Table
	Reason string
}

type exemptions []Exemption

// read reads a list of tables, or a map of tables to reasons.
func (e *exemptions) read(r *reader, f field) {
	if f.is(yaml.MappingNode) {
		m := r.mapping(f, `"exempt"`, nil)
		for _, key := range m.order {
			f := m.fields[key]
			r.try(func() { *e = append(*e, Exemption{r.table(field{value: f.key, list: "exempt"}), r.text(f)}) })
		}
		return
	}
	var tables []Table
	r.read(f, &tables, "table")
	*e = lists.Map(tables, func(t Table) Exemption { return Exemption{Table: t} })
}

// check checks that a suppression names at most one of policy, table and object.
func (s *Suppression) check(r *reader, m mapping) {
	if check, ok := m.fields["check"]; ok {
		s.Position = r.at(check.value)
	}
	for _, two := range [][2]string{{"policy", "table"}, {"policy", "object"}, {"table", "object"}} {
		m.exclusive(messages.TwoSubjects, two[0], two[1])
	}
}
