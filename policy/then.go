package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// verbs reads each kind of step; laterVerbs are those of the language that come later.
var (
	verbs      = map[string]func(*reader, field, scope) Step{"delete": (*reader).deleteStep}
	laterVerbs = []string{"update", "insert", "archive", "emit", "sql", "detach", "drop", "drop_table"}
)

func (r *reader) then(policy mapping, s scope) []Step {
	f, ok := policy.require("then")
	if !ok {
		return nil
	}
	var steps []Step
	complete := true
	for _, item := range r.list(f) {
		step, ok := r.step(item, s)
		complete = complete && ok
		if ok {
			steps = append(steps, step)
		}
	}
	deletes := slices.ContainsFunc(steps, func(s Step) bool { return s.Delete != nil && s.Related == nil })
	if complete && !deletes && resolve(f.value).Kind == yaml.SequenceNode {
		r.add(codeNoDelete, r.at(f.key), policy.what+" leaves its rows due", "No step deletes the rows of the policy's table, so the next run would find them again.", `Add "delete" to "then".`)
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
	read, ok := verbs[name]
	switch {
	case ok:
		step := read(r, f, s)
		step.Position = r.at(f.key)
		return step, true
	case slices.Contains(laterVerbs, name):
		r.notYet(r.at(f.key), quoted(name), "Supported steps: delete.")
	default:
		r.add(codeUnknownKey, r.at(f.key), fmt.Sprintf("unknown step %q", name), "Steps: delete.", didYouMean(name, []string{"delete"}))
	}
	return Step{}, false
}

var deleteShape = shape{keys: []string{"where", "cascades", "table", "as"}, later: []string{"join"}}

func (r *reader) deleteStep(f field, s scope) Step {
	step := Step{Delete: &Delete{}}
	if f.value == nil || isNull(f) {
		return step
	}
	m, ok := r.mapping(f, `"delete"`, deleteShape)
	if !ok {
		return step
	}
	step.Delete.Cascades = r.tables(m.fields["cascades"])
	if m.has("table") || m.has("as") {
		step.Related = r.related(m, s)
		return step
	}
	if where, ok := m.fields["where"]; ok {
		step.Where = r.expression(where, s)
	}
	return step
}

// related reads table, as and where, which belong together.
func (r *reader) related(m mapping, s scope) *Related {
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
	}
	if where, ok := m.fields["where"]; ok {
		if e := r.expression(where, s.with(related.As)); e != nil {
			related.Where = *e
		}
	}
	return related
}

func (r *reader) alias(f field, s scope) string {
	name, ok := r.text(f)
	if !ok {
		return ""
	}
	r.named(f, name, "alias")
	if slices.Contains(s.names, name) && name != "t" {
		r.add(codeReserved, r.at(f.value), fmt.Sprintf("alias %q is the name of a join", name), "", "Choose another alias.")
	}
	return name
}
