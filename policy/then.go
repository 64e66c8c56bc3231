package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

var verbNames = []string{"delete", "update", "insert", "archive", "emit", "sql", "detach", "drop", "drop_table"}

// then reads the steps in their order; each may read the header rows that those above it insert.
func (r *reader) then(policy mapping, p *Policy, s scope) []Step {
	f, ok := policy.require("then")
	if !ok {
		return nil
	}
	s.run = true
	var steps []Step
	complete := true
	for _, item := range r.list(f) {
		step, ok := r.step(item, s)
		complete = complete && ok
		if !ok {
			continue
		}
		steps = append(steps, step)
		if step.Insert != nil && step.Insert.As != "" {
			s = s.with(step.Insert.As)
		}
	}
	r.afterDrop(steps)
	if complete && resolve(f.value).Kind == yaml.SequenceNode && !p.settled(steps) {
		r.leftDue(f, policy.what, s.partitions)
	}
	return steps
}

// step is the bare name of a verb or a map of one verb.
func (r *reader) step(f field, s scope) (Step, bool) {
	if resolve(f.value).Kind == yaml.ScalarNode {
		name, ok := r.text(f)
		if !ok {
			return Step{}, false
		}
		return r.verb(field{key: resolve(f.value)}, name, s)
	}
	node, ok := r.kind(f, yaml.MappingNode, "a step")
	if !ok {
		return Step{}, false
	}
	m, _ := r.mapping(field{value: node}, "a step", shape{})
	if len(m.order) != 1 {
		r.add(codeConflict, r.at(node), "a step has exactly one verb", "", `Write each step as a list item of its own, for example "- delete: {...}".`)
		return Step{}, false
	}
	return r.verb(m.fields[m.order[0]], m.order[0], s)
}

func (r *reader) verb(f field, name string, s scope) (Step, bool) {
	var step Step
	ok := true
	switch name {
	case "sql":
		step.SQL, ok = r.sqlStep(f, s)
	case "drop_table":
		step.DropTable, ok = r.dropTable(f, s)
	case "detach", "drop":
		ok = r.partitionStep(&step, f, name, s)
	default:
		if !slices.Contains(verbNames, name) {
			r.add(codeUnknownKey, r.at(f.key), fmt.Sprintf("unknown step %q", name), "Steps: "+strings.Join(verbNames, ", ")+".", didYouMean(name, verbNames))
			return Step{}, false
		}
		step, ok = r.mapStep(f, name, s)
	}
	step.Position = r.at(f.key)
	return step, ok
}

// related reads table, as, where and join of a step, and adds the names to the scope.
func (r *reader) related(m mapping, s scope) (*Related, scope) {
	related := &Related{}
	var missing []string
	for _, key := range []string{"table", "as", "where"} {
		if !m.has(key) {
			missing = append(missing, quoted(key))
		}
	}
	if len(missing) > 0 {
		r.add(codeRelated, r.fieldAt(m.from), fmt.Sprintf("a step on related rows needs %s", strings.Join(missing, " and ")), "", `Write {table: app.child, as: c, where: "c.parent_id = t.id"}.`)
	}
	if table, ok := m.fields["table"]; ok {
		related.Table, _ = r.table(table)
	}
	if as, ok := m.fields["as"]; ok {
		related.As = r.alias(as, s)
		s = s.with(related.As)
	}
	related.Joins, s = r.joins(m.fields["join"], s)
	if where, ok := m.fields["where"]; ok {
		if e := r.expression(where, s); e != nil {
			related.Where = *e
		}
	}
	return related, s
}

func (r *reader) alias(f field, s scope) string {
	name, ok := r.text(f)
	if !ok {
		return ""
	}
	r.named(f, name, "alias")
	r.unused(r.at(f.value), name, s)
	return name
}

// unused holds that a name means one thing in an expression.
func (r *reader) unused(at diag.Position, name string, s scope) {
	if slices.Contains(s.names, name) && name != "t" {
		r.add(codeSameName, at, fmt.Sprintf("name %q is taken already", name), "It is the name of a join, a related row or an inserted row above.", "Choose another name.")
	}
}
