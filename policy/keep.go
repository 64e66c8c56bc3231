package policy

import "go.yaml.in/yaml/v3"

// guardNames are the names under keep, in order, without complaint.
func (r *reader) guardNames(f field) []string {
	if f.value == nil || resolve(f.value).Kind != yaml.MappingNode {
		return nil
	}
	quiet := &reader{path: r.path, lines: r.lines}
	m, _ := quiet.mapping(f, "", shape{})
	return m.order
}

// keep reads the guards: a condition is an expression, a rank a map. A rank reads the guards
// above it.
func (r *reader) keep(f field, s scope) []Guard {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"keep"`, shape{})
	var guards []Guard
	for i, name := range m.order {
		f := m.fields[name]
		r.named(f, name, "guard")
		g := Guard{Name: name, Position: r.at(f.key)}
		if resolve(f.value).Kind == yaml.MappingNode {
			s := s
			s.rank, s.guards, s.later = true, m.order[:i], m.order[i:]
			g.Rank = r.rank(f, s)
		} else {
			g.Condition = r.expression(f, s)
		}
		guards = append(guards, g)
	}
	return guards
}
