package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/pgparse"
)

// rowKeys are those by which a step that is a map chooses its rows.
var rowKeys = []string{"where", "table", "as", "join"}

// then reads the steps in their order.
func (r *reader) then(f field, what string) {
	p, complete, dropped := r.policy, true, false
	for _, item := range r.list(f) {
		s, ok := r.step(item)
		if !ok {
			complete = false
			continue
		}
		p.Then = append(p.Then, s)
		if dropped && (s.Drop != nil || s.Detach != nil) {
			r.add(codePartitions, s.Position, "the partition is dropped already", "Steps run in the order of the list.", `Write "drop" once, and "detach" before it.`)
		}
		dropped = dropped || s.Drop != nil
	}
	switch {
	case !complete || !f.is(yaml.SequenceNode) || p.clearsDue():
	case p.Partitions:
		r.add(codeNoDelete, r.at(f.key), what+" leaves its partitions due", "No step detaches or drops them, so the next run would find them again.", `Add "detach" or "drop" to "then".`)
	default:
		r.add(codeNoDelete, r.at(f.key), what+" leaves its rows due",
			"No step deletes the rows of the policy's table, and none sets a column that where, due or keep read, so the next run would find them again.", `Add "delete" to "then", or an "update" that sets such a column.`)
	}
}

// step is the bare name of a verb or a map of one verb.
func (r *reader) step(f field) (Step, bool) {
	verb, name := field{key: resolve(f.value)}, ""
	if f.is(yaml.ScalarNode) {
		var ok bool
		if name, ok = r.text(f); !ok {
			return Step{}, false
		}
	} else {
		node, ok := r.kindOf(f, f.label(), yaml.MappingNode, "a step")
		if !ok {
			return Step{}, false
		}
		m, _ := r.mapping(field{value: node}, "a step", nil)
		if len(m.order) != 1 {
			r.add(codeConflict, r.at(node), "a step has exactly one verb", "", `Write each step as a list item of its own, for example "- delete: {...}".`)
			return Step{}, false
		}
		name = m.order[0]
		verb = m.fields[name]
	}
	step := Step{Position: r.at(verb.key)}
	return step, r.verb(&step, verb, name)
}

func (r *reader) verb(step *Step, f field, name string) bool {
	switch name {
	case "delete":
		step.Delete = &Delete{}
		return r.mapStep(step, f, name, step.Delete, "drop")
	case "update":
		step.Update = &Update{}
		return r.mapStep(step, f, name, step.Update, "detach")
	case "insert":
		step.Insert = &Insert{}
		return r.mapStep(step, f, name, step.Insert, "")
	case "archive":
		step.Archive = &Archive{Existing: "refuse"}
		return r.mapStep(step, f, name, step.Archive, "detach")
	case "emit":
		step.Emit = &Emit{}
		return r.mapStep(step, f, name, step.Emit, "")
	case "sql":
		return r.sqlStep(step, f)
	case "drop_table":
		return r.dropTable(step, f)
	case "detach", "drop":
		return r.partitionStep(step, f, name)
	}
	verbs := keysOf(step)
	r.add(codeUnknownKey, r.at(f.key), fmt.Sprintf("unknown step %q", name), "Steps: "+strings.Join(verbs, ", ")+".", DidYouMean(name, verbs))
	return false
}

// mapStep reads a step that is a map, or the bare name of its verb. OfPartition is the verb to use for a partition
// itself, "" where this one can act on it.
func (r *reader) mapStep(step *Step, f field, name string, body any, ofPartition string) bool {
	m := mapping{r: r, from: f, what: quoted(name), fields: map[string]field{}}
	if f.value != nil && !isNull(f) {
		var ok bool
		if m, ok = r.mapping(f, quoted(name), append(keysOf(body), rowKeys...)); !ok {
			return false
		}
	}
	if m.has("table") || m.has("join") || m.has("as") && name != "insert" {
		step.Related = r.related(m)
	} else if where, ok := m.fields["where"]; ok {
		r.value(where, &step.Where, "")
	}
	if r.policy.Partitions && step.Related == nil && ofPartition != "" {
		r.add(codePartitions, r.fieldAt(f), fmt.Sprintf("%q cannot act on partitions", name), "The rows of the policy are partitions.", fmt.Sprintf("Write %q, or name a table with related rows.", ofPartition))
	}
	r.fill(m, body)
	switch {
	case step.Update != nil && step.Related != nil && m.has("undo"):
		r.add(codeConflict, r.at(m.fields["undo"].key), `"undo" is for the policy's own rows`, "Related rows are not restored.", `Remove "undo", or "table".`)
	case step.Archive != nil:
		r.checkArchive(step.Archive, step.Related)
	case step.Insert != nil:
		r.checkInsert(step.Insert, m)
		if as, named := m.fields["as"]; named && step.Related == nil {
			step.Insert.AsPosition = r.at(as.value)
			r.value(as, &step.Insert.As, "alias")
		}
	}
	return true
}

// related reads table, as, where and join of a step.
func (r *reader) related(m mapping) *Related {
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
	r.fill(m, related)
	return related
}

// checkInsert checks how the rows are grouped, and that a column has one value.
func (r *reader) checkInsert(in *Insert, m mapping) {
	r.exclusive(m, "key", "per", `With "key" the row that exists is changed, with "per" every group is a new row.`, "Remove one of the two.")
	if as, ok := m.fields["as"]; ok && !m.has("table") && !m.has("join") && !m.has("per") {
		r.add(codeConflict, r.at(as.key), `"as" of an insert needs "per" or "table"`, `With "per" it names the new row of the group, with "table" the related row.`, "Remove it.")
	}
	for _, name := range []string{"add", "max", "min"} {
		if f, ok := m.fields[name]; ok && !m.has("key") {
			r.add(codeMissing, r.at(f.key), fmt.Sprintf("%q needs \"key\"", name), "It changes the row that exists, which the key finds.", `Write the columns that make the row unique in "key".`)
		}
	}
	if !m.has("key") && !m.has("per") && !m.has("set") {
		r.add(codeMissing, r.fieldAt(m.from), `"insert" needs "key", "per" or "set"`, "Otherwise there is nothing to write.", "")
	}
	r.once(slices.Concat(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set))
}

// once refuses a column that has two values.
func (r *reader) once(list []Assignment) {
	seen := map[string]Assignment{}
	for _, a := range list {
		if first, ok := seen[a.Column]; ok {
			r.twice(a, first)
		}
		seen[a.Column] = a
	}
}

// checkArchive refuses an archive in the table that the rows are from, a column with two values, a value in two columns,
// and a document without all of the row.
func (r *reader) checkArchive(a *Archive, related *Related) {
	from, row := r.policy.Table, "t"
	if related != nil {
		from, row = related.Table, related.As
	}
	if a.Into.Name != "" && a.Into.same(from) {
		r.add(codeConflict, a.Into.Position, fmt.Sprintf("the rows of %q cannot be archived in %q", from, a.Into), "A copy would be due like the row itself.", "Name another table.")
	}
	if len(a.Columns) > 0 && a.Document != "" {
		r.add(codeConflict, a.Columns[0].Position, `"columns" and "document" exclude each other`, "A document holds the columns under the names that they have.", "Remove one of the two.")
	}
	var given []Assignment
	copied := map[string]Name{}
	for _, c := range a.Columns {
		given = append(given, Assignment{Column: c.Name, Position: c.Position})
		if first, ok := copied[c.From.Text]; ok {
			r.add(codeDuplicate, c.From.Position, fmt.Sprintf("column %q is copied already", c.From.Text), fmt.Sprintf("The first one is at %s.", first.Position),
				`Write a second copy under "set".`)
		}
		copied[c.From.Text] = c.From
	}
	r.once(append(given, a.Set...))
	for _, set := range a.Set {
		parsed, err := pgparse.Expression(set.Value.SQL)
		if a.Document == "" || set.Column != a.Document || err != nil || slices.ContainsFunc(parsed.Columns, func(c pgparse.ColumnRef) bool {
			return c.Star && len(c.Fields) == 1 && c.Fields[0] == row
		}) {
			continue
		}
		r.add(codeDocument, set.Value.Position, fmt.Sprintf("document %q would not hold the row", a.Document), fmt.Sprintf("\"set\" replaces the document, and does not read %s.*.", row),
			fmt.Sprintf("Write for example \"to_jsonb(%s.*) || jsonb_build_object('by', 'pgretain')\", or leave the column out of \"set\".", row))
	}
}

func isBatch(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" }

// sqlStep reads one statement, which reads the batch and names what it changes with its schema; which tables may be
// changed is checked when the file has been read.
func (r *reader) sqlStep(step *Step, f field) bool {
	if !r.written(f, "an SQL statement over \"batch\"") || !r.value(f, &step.SQL, IsStatement) {
		return false
	}
	e := step.SQL
	parsed := e.Statement()
	if slices.Contains(parsed.With, "batch") {
		r.add(codeReserved, e.At(parsed.CTEs), `name "batch" is reserved`, "It is the rows of the batch.", "Choose another name after WITH.")
	}
	if !slices.ContainsFunc(parsed.Tables, isBatch) {
		r.add(codeStatement, e.Position, `the statement does not read "batch"`, "It would do the same in every batch, whatever its rows are.", `Name the relation "batch": it holds the rows of the batch, with the table's columns.`)
	}
	for _, w := range parsed.Writes {
		switch {
		case isBatch(w.Table):
			r.add(codeStatement, e.At(w.Table.Offset), `"batch" cannot be changed`, "It is a list of the rows as they were judged.", "Change the policy's table.")
		case w.Table.Schema == "":
			r.add(codeStatement, e.At(w.Table.Offset), fmt.Sprintf("table %q needs its schema", w.Table.Name), "A table that a statement changes is named in full.", fmt.Sprintf("Write for example public.%s.", w.Table.Name))
		}
	}
	return true
}

// written holds that a step is not the bare name of its verb.
func (r *reader) written(f field, what string) bool {
	if f.value != nil && !isNull(f) {
		return true
	}
	r.add(codeMissing, r.at(f.key), fmt.Sprintf("%s needs %s", quoted(f.name()), what), "", "")
	return false
}

// dropTable is an expression that names a table.
func (r *reader) dropTable(step *Step, f field) bool {
	if !r.written(f, "an expression that names a table") {
		return false
	}
	if r.policy.Partitions {
		r.add(codePartitions, r.at(f.key), `"drop_table" is not allowed under "partitions_of"`, "It drops a table that a row names, never an attached one.", `Write "drop" for the partition itself.`)
	}
	return r.value(f, &step.DropTable, "")
}

// partitionStep is detach or drop: a bare name.
func (r *reader) partitionStep(step *Step, f field, name string) bool {
	switch {
	case f.value != nil && !isNull(f):
		r.wrongKind(f, f.label(), "alone, without a value")
		return false
	case !r.policy.Partitions:
		r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is allowed under \"partitions_of\" only", name), "The rows of this policy are rows of a table.", `Write "delete", or "drop_table" for a table that the row names.`)
		return false
	case name == "detach":
		step.Detach = &Detach{}
	default:
		step.Drop = &Drop{}
	}
	return true
}
