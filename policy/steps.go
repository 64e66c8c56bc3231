package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
)

// rowKeys are those by which a step that is a map chooses its rows.
var rowKeys = []string{"where", "table", "as", "join"}

// checkThen holds that nothing follows the end of a partition, and that the steps of a policy without other faults make its
// rows go.
func (r *reader) checkThen(p *Policy, m mapping) {
	dropped := slices.IndexFunc(p.Then, func(s Step) bool { return s.Drop != nil })
	for i, s := range p.Then {
		if dropped >= 0 && i > dropped && s.takesPartition() {
			r.add(codePartitions, s.Position, "the partition is dropped already", "Steps run in the order of the list.", `Write "drop" once, and "detach" before it.`)
		}
	}
	switch {
	case len(r.diags) > 0 || p.clearsDue():
	case p.Partitions:
		m.refuse(codeNoDelete, m.what+" leaves its partitions due", "No step detaches or drops them, so the next run would find them again.", `Add "detach" or "drop" to "then".`, "then")
	default:
		m.refuse(codeNoDelete, m.what+" leaves its rows due",
			"No step deletes the rows of the policy's table, and none sets a column that where, due or keep read, so the next run would find them again.",
			`Add "delete" to "then", or an "update" that sets such a column.`, "then")
	}
}

// read reads the bare name of a verb, or a map of one verb.
func (s *Step) read(r *reader, f field) {
	verb, name := field{key: resolve(f.value)}, ""
	if f.is(yaml.ScalarNode) {
		name = r.text(f)
	} else {
		r.kindOf(f, f.label(), yaml.MappingNode, "a step")
		m := r.mapping(f, "a step", nil)
		if len(m.order) != 1 {
			r.fail(codeConflict, r.at(f.value), "a step has exactly one verb", "", `Write each step as a list item of its own, for example "- delete: {...}".`)
		}
		name = m.order[0]
		verb = m.fields[name]
	}
	s.Position = r.at(verb.key)
	bare := verb.value == nil || isNull(verb)
	needs := map[string]string{"sql": `an SQL statement over "batch"`, "drop_table": "an expression that names a table"}[name]
	switch verbs := keysOf(s); {
	case !slices.Contains(verbs, name):
		r.fail(codeUnknownKey, s.Position, fmt.Sprintf("unknown step %q", name), "Steps: "+strings.Join(verbs, ", ")+".", DidYouMean(name, verbs))
	case bare && needs != "":
		r.fail(codeMissing, s.Position, fmt.Sprintf("%q needs %s", name, needs), "", "")
	case name == "sql":
		r.read(verb, &s.SQL, IsStatement)
		r.checkStatement(*s.SQL)
	case name == "drop_table":
		if r.policy.Partitions {
			r.add(codePartitions, s.Position, `"drop_table" is not allowed under "partitions_of"`, "It drops a table that a row names, never an attached one.", `Write "drop" for the partition itself.`)
		}
		r.read(verb, &s.DropTable, "")
	case name != "detach" && name != "drop":
		r.mapStep(s, verb, name, bare)
	case !bare:
		r.wrongKind(verb, verb.label(), "alone, without a value")
	case !r.policy.Partitions:
		r.fail(codePartitions, s.Position, fmt.Sprintf("%q is allowed under \"partitions_of\" only", name), "The rows of this policy are rows of a table.", `Write "delete", or "drop_table" for a table that the row names.`)
	default:
		s.set(name)
	}
}

// set gives a step its verb, of which it returns what is to be read.
func (s *Step) set(name string) any {
	v := reflect.ValueOf(s).Elem()
	i := slices.IndexFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return f.Tag.Get("yaml") == name })
	v.Field(i).Set(reflect.New(v.Field(i).Type().Elem()))
	return v.Field(i).Interface()
}

// ofPartition is the verb to use for a partition itself, where one cannot act on it.
var ofPartition = map[string]string{"delete": "drop", "update": "detach", "archive": "detach"}

// mapStep reads a step that is a map, or the bare name of its verb.
func (r *reader) mapStep(step *Step, f field, name string, bare bool) {
	body := step.set(name)
	m := mapping{r: r, from: f, what: quoted(name), fields: map[string]field{}}
	if !bare {
		m = r.mapping(f, quoted(name), append(keysOf(body), rowKeys...))
	}
	if m.has("table", "join") || m.has("as") && name != "insert" {
		step.Related = r.related(m)
	} else {
		m.take("where", &step.Where, "")
	}
	if instead := ofPartition[name]; r.policy.Partitions && step.Related == nil && instead != "" {
		r.add(codePartitions, r.fieldAt(f), fmt.Sprintf("%q cannot act on partitions", name), "The rows of the policy are partitions.", fmt.Sprintf("Write %q, or name a table with related rows.", instead))
	}
	r.fill(m, body)
	switch {
	case step.Update != nil && step.Related != nil:
		m.refuse(codeConflict, `%q is for the policy's own rows`, "Related rows are not restored.", `Remove "undo", or "table".`, "undo")
	case step.Archive != nil:
		r.checkArchive(step.Archive, step.Related)
	case step.Insert != nil:
		r.checkInsert(step.Insert, m)
		if as, named := m.fields["as"]; named && step.Related == nil {
			step.Insert.AsPosition = r.at(as.value)
			r.value(as, &step.Insert.As, "alias")
		}
	}
}

// related reads table, as, where and join of a step.
func (r *reader) related(m mapping) *Related {
	related := &Related{}
	missing := slices.DeleteFunc([]string{"table", "as", "where"}, func(key string) bool { return m.has(key) })
	if len(missing) > 0 {
		r.add(codeRelated, r.fieldAt(m.from), fmt.Sprintf("a step on related rows needs %s", strings.Join(lists.Map(missing, quoted), " and ")), "", `Write {table: app.child, as: c, where: "c.parent_id = t.id"}.`)
	}
	r.fill(m, related)
	return related
}

// checkInsert checks how the rows are grouped, and that a column has one value.
func (r *reader) checkInsert(in *Insert, m mapping) {
	m.exclusive("key", "per", `With "key" the row that exists is changed, with "per" every group is a new row.`, "Remove one of the two.")
	if !m.has("table", "join", "per") {
		m.refuse(codeConflict, `%q of an insert needs "per" or "table"`, `With "per" it names the new row of the group, with "table" the related row.`, "Remove it.", "as")
	}
	if !m.has("key") {
		m.refuse(codeMissing, `%q needs "key"`, "It changes the row that exists, which the key finds.", `Write the columns that make the row unique in "key".`, "add", "max", "min")
	}
	if !m.has("key", "per", "set") {
		r.add(codeMissing, r.fieldAt(m.from), `"insert" needs "key", "per" or "set"`, "Otherwise there is nothing to write.", "")
	}
	r.once(slices.Concat(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set))
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
		parsed := Part{Expr: set.Value, Kind: IsExpression}.Parsed()
		if a.Document == "" || set.Column != a.Document || slices.ContainsFunc(parsed.Columns, func(c pgparse.ColumnRef) bool {
			return c.Star && len(c.Fields) == 1 && c.Fields[0] == row
		}) {
			continue
		}
		r.add(codeDocument, set.Value.Position, fmt.Sprintf("document %q would not hold the row", a.Document), fmt.Sprintf("\"set\" replaces the document, and does not read %s.*.", row),
			fmt.Sprintf("Write for example \"to_jsonb(%s.*) || jsonb_build_object('by', 'pgretain')\", or leave the column out of \"set\".", row))
	}
}

func isBatch(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" }

// checkStatement holds that a statement reads the batch, and names what it changes with its schema; which tables may be
// changed is checked when the file has been read.
func (r *reader) checkStatement(e Expr) {
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
}
