package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

// verb is one kind of step that is a map.
type verb struct {
	keys []string // besides where, or table, as, where and join
	read func(*reader, *Step, mapping, scope)
	own  string // why it cannot act on the batch's rows under partitions_of, "" where it can
}

var verbs = map[string]verb{
	"delete":  {keys: []string{"cascades"}, read: (*reader).deleteStep, own: "drop"},
	"update":  {keys: []string{"set", "undo"}, read: (*reader).updateStep, own: "detach"},
	"insert":  {keys: []string{"into", "key", "per", "add", "max", "min", "set"}, read: (*reader).insertStep},
	"archive": {keys: []string{"into", "set", "document", "existing", "create"}, read: (*reader).archiveStep, own: "detach"},
	"emit":    {keys: []string{"event", "payload"}, read: (*reader).emitStep},
}

func (v verb) shape() shape { return shape{keys: append(append([]string{}, v.keys...), rowKeys...)} }

var rowKeys = []string{"where", "table", "as", "join"}

// mapStep reads a step that is a map, or the bare name of its verb.
func (r *reader) mapStep(f field, name string, s scope) (Step, bool) {
	v := verbs[name]
	m := mapping{r: r, from: f, what: quoted(name), fields: map[string]field{}}
	if f.value != nil && !isNull(f) {
		var ok bool
		if m, ok = r.mapping(f, quoted(name), v.shape()); !ok {
			return Step{}, false
		}
	}
	var step Step
	header := name == "insert" && !m.has("table")
	if m.has("table") || m.has("join") || m.has("as") && !header {
		step.Related, s = r.related(m, s)
	} else if where, ok := m.fields["where"]; ok {
		step.Where = r.expression(where, s)
	}
	if s.partitions && step.Related == nil && v.own != "" {
		r.add(codePartitions, r.fieldAt(f), fmt.Sprintf("%q cannot act on partitions", name), "The rows of the policy are partitions.", fmt.Sprintf("Write %q, or name a table with related rows.", v.own))
	}
	v.read(r, &step, m, s)
	return step, true
}

func (r *reader) deleteStep(step *Step, m mapping, _ scope) {
	step.Delete = &Delete{Cascades: r.tables(m.fields["cascades"])}
}

func (r *reader) updateStep(step *Step, m mapping, s scope) {
	step.Update = &Update{}
	if set, ok := m.require("set"); ok {
		step.Update.Set = r.filled(set, s)
	}
	undo, ok := m.fields["undo"]
	if !ok {
		return
	}
	if step.Related != nil {
		r.add(codeConflict, r.at(undo.key), `"undo" is for the policy's own rows`, "Related rows are not restored.", `Remove "undo", or "table".`)
	}
	// Restore comes long after the run: it knows the row only.
	step.Update.Undo = r.filled(undo, scope{names: []string{"t"}})
}

func (r *reader) archiveStep(step *Step, m mapping, s scope) {
	a := &Archive{}
	step.Archive = a
	if into, ok := m.require("into"); ok {
		a.Into, _ = r.table(into)
	}
	r.elsewhere(a, step.Related, s)
	a.Set = r.assignments(m.fields["set"], s)
	if document, ok := m.fields["document"]; ok {
		a.Document = r.columnName(document)
		r.wholeRow(a, step.Related)
	}
	a.Existing = r.choice(m.fields["existing"], "refuse", "keep", "replace")
	a.Create = r.boolean(m.fields["create"])
}

// elsewhere refuses an archive in the table that the rows are from.
func (r *reader) elsewhere(a *Archive, related *Related, s scope) {
	from := s.table
	if related != nil {
		from = related.Table
	}
	if a.Into.Name != "" && a.Into.same(from) {
		r.add(codeConflict, a.Into.Position, fmt.Sprintf("the rows of %q cannot be archived in %q", from, a.Into), "A copy would be due like the row itself.", "Name another table.")
	}
}

func (r *reader) emitStep(step *Step, m mapping, s scope) {
	step.Emit = &Emit{}
	if event, ok := m.require("event"); ok {
		step.Emit.Event = r.eventName(event)
	}
	step.Emit.Payload = r.payload(m.fields["payload"], s)
}

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

// insertStep reads where the rows go and how they are grouped. Without table, as names the row of
// the group, for later steps.
func (r *reader) insertStep(step *Step, m mapping, s scope) {
	in := &Insert{}
	step.Insert = in
	if into, ok := m.require("into"); ok {
		in.Into, _ = r.table(into)
	}
	in.Key, in.Per = r.assignments(m.fields["key"], s), r.assignments(m.fields["per"], s)
	in.Add, in.Max = r.assignments(m.fields["add"], s), r.assignments(m.fields["max"], s)
	in.Min, in.Set = r.assignments(m.fields["min"], s), r.assignments(m.fields["set"], s)
	r.grouping(m)
	r.eachOnce(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set)
	if as, ok := m.fields["as"]; ok && step.Related == nil {
		in.As = r.header(as, m, s)
	}
}

func (r *reader) grouping(m mapping) {
	if per, ok := m.fields["per"]; ok && m.has("key") {
		r.add(codeConflict, r.at(per.key), `"key" and "per" exclude each other`, `With "key" the row that exists is changed, with "per" every group is a new row.`, "Remove one of the two.")
	}
	for _, name := range []string{"add", "max", "min"} {
		if f, ok := m.fields[name]; ok && !m.has("key") {
			r.add(codeMissing, r.at(f.key), fmt.Sprintf("%q needs \"key\"", name), "It changes the row that exists, which the key finds.", `Write the columns that make the row unique in "key".`)
		}
	}
	if !m.has("key") && !m.has("per") && !m.has("set") {
		r.add(codeMissing, r.fieldAt(m.from), `"insert" needs "key", "per" or "set"`, "Otherwise there is nothing to write.", "")
	}
	for _, name := range []string{"key", "per"} {
		if f, ok := m.fields[name]; ok {
			r.notEmpty(f)
		}
	}
}

// header is the name by which later steps read the new row of a group.
func (r *reader) header(f field, m mapping, s scope) string {
	if !m.has("per") {
		r.add(codeConflict, r.at(f.key), `"as" of an insert needs "per" or "table"`, `With "per" it names the new row of the group, with "table" the related row.`, "Remove it.")
	}
	return r.alias(f, s)
}

// eachOnce refuses a column that two of the lists give a value.
func (r *reader) eachOnce(lists ...[]Assignment) {
	seen := map[string]Assignment{}
	for _, list := range lists {
		for _, a := range list {
			if first, ok := seen[a.Column]; ok {
				r.twice(a, first)
			}
			seen[a.Column] = a
		}
	}
}

func (r *reader) twice(a, first Assignment) {
	r.add(codeDuplicate, a.Position, fmt.Sprintf("column %q has a value already", a.Column), fmt.Sprintf("The first one is at %s.", first.Position), "")
}
