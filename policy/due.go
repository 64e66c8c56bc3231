package policy

import "go.yaml.in/yaml/v3"

var (
	dueShape   = shape{keys: []string{"age", "expires", "position", "beyond", "any"}}
	entryShape = shape{keys: []string{"age", "expires", "position", "beyond"}}
)

// due reads one entry, or the entries of any. A rank here may read every guard.
func (r *reader) due(f field, s scope) *Due {
	if f.value == nil {
		return nil
	}
	m, ok := r.mapping(f, `"due"`, dueShape)
	if !ok {
		return nil
	}
	due := &Due{Position: r.at(f.key)}
	alternatives, ok := m.fields["any"]
	if !ok {
		due.Entries = r.entries(nil, m, s)
		return due
	}
	due.Any = true
	if len(m.order) > 1 {
		r.add(codeAny, r.at(alternatives.key), `"any" stands alone in "due"`, "", `Move the other keys into the entries of "any".`)
	}
	items := r.list(alternatives)
	if len(items) == 0 && resolve(alternatives.value).Kind == yaml.SequenceNode {
		r.add(codeAny, r.at(alternatives.key), `"any" has no entry`, "", "Write at least one map with age, expires, position or beyond.")
	}
	for _, item := range items {
		due.Entries = r.alternative(due.Entries, item, s)
	}
	r.noWatermark(due)
	return due
}

// noWatermark refuses what would pass by the rows that the other entries take later.
func (r *reader) noWatermark(due *Due) {
	for _, e := range due.Entries {
		if e.Clock != nil && e.Clock.Watermark != nil {
			r.add(codeAny, e.Clock.Watermark.Position, `"watermark" inside "any" is not allowed`, "It moves past every row, whichever entry took it.", "Write a policy of its own for the position.")
		}
	}
}

func (r *reader) alternative(entries []Entry, item field, s scope) []Entry {
	if node := resolve(item.value); node.Kind == yaml.MappingNode {
		for i := 0; i < len(node.Content); i += 2 {
			if node.Content[i].Value == "any" {
				r.add(codeAny, r.at(node.Content[i]), `"any" inside "any" is not allowed`, "", "List all entries in one \"any\".")
				return entries
			}
		}
	}
	if m, ok := r.mapping(item, `an entry of "any"`, entryShape); ok {
		entries = r.entries(entries, m, s)
	}
	return entries
}

func (r *reader) entries(entries []Entry, m mapping, s scope) []Entry {
	e := Entry{Position: r.fieldAt(m.from)}
	if f, kind := r.oneClock(m); kind != "" {
		e.Clock = r.clock(f, kind, scope{names: s.names, partitions: s.partitions})
	}
	if beyond, ok := m.fields["beyond"]; ok {
		e.Beyond = r.rank(beyond, s)
	}
	r.emptyEntry(m)
	return append(entries, e)
}
