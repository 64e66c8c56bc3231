package policy

import (
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
)

// rowKeys are the keys in a step's map that select the rows of the step.
var rowKeys = []string{"where", "table", "as", "join"}

// checkThen refuses steps on a partition that was dropped. If the policy has no other fault, it
// also checks that the steps take the due rows.
func (r *reader) checkThen(p *Policy, m mapping) {
	dropped := slices.IndexFunc(p.Then, func(s Step) bool { return s.Drop != nil })
	for i, s := range p.Then {
		if dropped >= 0 && i > dropped && s.takesPartition() {
			r.add(messages.AlreadyDropped, s.Position)
		}
	}
	switch {
	case len(r.diags) > 0 || p.clearsDue():
	case p.Partitions:
		r.add(messages.LeavesPartitionsDue(m.what), r.at(m.fields["then"].key))
	default:
		r.add(messages.LeavesRowsDue(m.what), r.at(m.fields["then"].key))
	}
}

// read reads the bare name of a verb, or a map with one verb.
func (s *Step) read(r *reader, f field) {
	verb, name := field{key: resolve(f.value)}, ""
	if f.is(yaml.ScalarNode) {
		name = r.text(f)
	} else {
		r.kindOf(f, f.label(), yaml.MappingNode, "a step")
		m := r.mapping(f, "a step", nil)
		if len(m.order) != 1 {
			r.fail(messages.OneVerb, r.at(f.value))
		}
		name = m.order[0]
		verb = m.fields[name]
	}
	s.Position = r.at(verb.key)
	bare := verb.value == nil || isNull(verb)
	switch verbs := keysOf(s); {
	case !slices.Contains(verbs, name):
		r.fail(messages.UnknownStep(name, verbs), s.Position)
	case bare && (name == "sql" || name == "drop_table"):
		r.fail(messages.BareStep(name), s.Position)
	case name == "sql":
		r.read(verb, &s.SQL, IsStatement)
		r.checkStatement(*s.SQL)
	case name == "drop_table":
		if r.policy.Partitions {
			r.add(messages.DropTableOfPartitions, s.Position)
		}
		r.read(verb, &s.DropTable, "")
	case name != "detach" && name != "drop":
		r.mapStep(s, verb, name, bare)
	case !bare:
		r.wrongKind(verb, verb.label(), "alone, without a value")
	case !r.policy.Partitions:
		r.fail(messages.OnlyOfPartitions(name), s.Position)
	default:
		s.set(name)
	}
}

// set sets the verb of the step, and returns a pointer to the verb's empty value.
func (s *Step) set(name string) any {
	v := reflect.ValueOf(s).Elem()
	named := func(f reflect.StructField) bool { return f.Tag.Get("yaml") == name }
	i := slices.IndexFunc(reflect.VisibleFields(v.Type()), named)
	v.Field(i).Set(reflect.New(v.Field(i).Type().Elem()))
	return v.Field(i).Interface()
}

// ofPartition maps a verb that cannot act on a partition to the verb to use instead.
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
		m.readKey("where", &step.Where, "")
	}
	if instead := ofPartition[name]; r.policy.Partitions && step.Related == nil && instead != "" {
		r.add(messages.NotOnPartitions(name, instead), r.fieldAt(f))
	}
	r.fill(m, body)
	switch {
	case step.Update != nil && step.Related != nil:
		m.refuse(messages.UndoOfRelated, "undo")
	case step.Archive != nil:
		m.exclusive(messages.ColumnsAndDocument, "columns", "document")
		r.checkArchive(step.Archive, step.Related)
	case step.Insert != nil:
		r.checkInsert(step.Insert, m)
		if as, named := m.fields["as"]; named && step.Related == nil {
			step.Insert.AsPosition = r.at(as.value)
			r.value(as, &step.Insert.As, "alias")
		}
	}
}

// related reads the keys "table", "as", "where" and "join" of a step.
func (r *reader) related(m mapping) *Related {
	related := &Related{}
	missing := slices.DeleteFunc([]string{"table", "as", "where"}, func(key string) bool { return m.has(key) })
	if len(missing) > 0 {
		r.add(messages.IncompleteStep(missing), r.fieldAt(m.from))
	}
	r.fill(m, related)
	return related
}

// checkInsert checks how the rows are grouped, and that each column has one value.
func (r *reader) checkInsert(in *Insert, m mapping) {
	m.exclusive(messages.KeyAndPer, "key", "per")
	if !m.has("table", "join", "per") {
		m.refuse(messages.AsWithoutRow, "as")
	}
	if !m.has("key") {
		m.refuse(messages.ChangeNeedsKey, "add", "max", "min")
	}
	if !m.has("key", "per", "set") {
		r.add(messages.InsertNeedsKeys, r.fieldAt(m.from))
	}
	r.reportRepeated(messages.ColumnTwice, in.Assignments())
}

// checkArchive refuses an archive into the table from which the rows come. It refuses two values
// for one column, and one value for two columns. It refuses a document that does not contain the
// whole row.
func (r *reader) checkArchive(a *Archive, related *Related) {
	from, row := r.policy.Table, "t"
	if related != nil {
		from, row = related.Table, related.As
	}
	if a.Into.Name != "" && a.Into.same(from) {
		r.add(messages.ArchivedInItself(from.String(), a.Into.String()), a.Into.Position)
	}
	var copied, given []Assignment
	for _, c := range a.Columns {
		copied = append(copied, Assignment{Column: c.From.Text, Position: c.From.Position})
		given = append(given, Assignment{Column: c.Name, Position: c.Position})
	}
	r.reportRepeated(messages.CopiedTwice, copied)
	r.reportRepeated(messages.ColumnTwice, append(given, a.Set...))
	isRow := func(c pgparse.ColumnRef) bool { return c.Star && len(c.Fields) == 1 && c.Fields[0] == row }
	for _, set := range a.Set {
		columns := set.Value.parsed.Columns
		if a.Document != "" && set.Column == a.Document && !slices.ContainsFunc(columns, isRow) {
			r.add(messages.DocumentWithoutRow(a.Document, row), set.Value.Position)
		}
	}
}

func isBatch(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" }

// checkStatement checks that a statement reads the batch. It also checks that the statement names
// the schema of each table that it changes. Whether these tables may be changed is checked after
// the whole file was read.
func (r *reader) checkStatement(e Expr) {
	parsed := e.parsed
	if slices.Contains(parsed.With, "batch") {
		r.add(messages.ReservedBatch, e.At(parsed.CTEs))
	}
	if !slices.ContainsFunc(parsed.Tables, isBatch) {
		r.add(messages.StatementWithoutBatch, e.Position)
	}
	for _, w := range parsed.Writes {
		switch {
		case isBatch(w.Table):
			r.add(messages.StatementChangesBatch, e.At(w.Table.Offset))
		case w.Table.Schema == "":
			r.add(messages.StatementWithoutSchema(w.Table.Name), e.At(w.Table.Offset))
		}
	}
}
