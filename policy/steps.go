package policy

import "fmt"

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
