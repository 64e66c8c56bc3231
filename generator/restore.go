package generator

import (
	"fmt"
	"regexp"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// restoreData is what the template restore reads.
type restoreData struct {
	Schema, Function, Signature, Policy string
	Comment, Zone                       literal
	SearchPath                          []ident
	Sources                             []restoreSource
}

// restoreSource is what one step kept of the rows that it took or changed: an archive, or the values
// that an update with "undo" wrote.
type restoreSource struct {
	Schema, What string
	From, Table  sqlText // where it is kept, and where it goes
	Relation     literal // Table, to be read as regclass
	Which        []sqlText
	Loose        []sqlText // Which, without held rows of the archive
	Copy         bool      // whole rows
	Document     ident     // the column that holds them, "" for columns
	Removes      bool      // what is restored is kept no longer
	Key, Columns []restoredColumn
	Set          []columnValue

	place int // when the rows went: the step that deleted them
	into  policy.Table
	from  *catalog.Table
	same  map[string]string // constants that tell these rows of the archive from others
}

// restoredColumn is a column of Table and its value.
type restoredColumn struct {
	Number int
	Column ident
	Name   literal
	Value  sqlText
	Type   string
}

// restore is <policy>_restore, none where nothing is kept that could be brought back.
func (w *work) restore() []Object {
	sources := w.restoreSources()
	if len(sources) == 0 {
		return nil
	}
	name := w.policy.Name + "_restore"
	d := restoreData{
		Schema: w.schema(), Function: name, Signature: name + "(bigint, timestamp with time zone)", Policy: w.policy.Name,
		Comment: literal("pgretain: brings back what a run took, of policy " + w.policy.Name),
		Zone:    literal(w.file.Install.TimeZone), SearchPath: w.searchPath(), Sources: sources,
	}
	for _, s := range sources {
		if s.Copy {
			w.addRight(policy.Table{Schema: s.from.Schema, Name: s.from.Name}, policy.Access{Insert: true})
			w.addRight(s.into, policy.Access{Delete: s.Removes})
		}
	}
	return []Object{w.function(d.Signature, "restore", d)}
}

// restoreSources lists them in the order in which they are brought back: what went last comes first.
func (w *work) restoreSources() []restoreSource {
	if w.policy.Partitions {
		return nil
	}
	copies := w.archiveSources()
	slices.SortStableFunc(copies, func(a, b restoreSource) int { return b.place - a.place })
	return append(copies, w.undoSources()...)
}

// archiveSources is empty unless the policy's own rows are among them, whole, and no archive mixes
// rows that cannot be told apart.
func (w *work) archiveSources() []restoreSource {
	var sources []restoreSource
	own := false
	for _, s := range w.steps() {
		if s.Archive == nil {
			continue
		}
		source, ok := w.archiveSource(s)
		if !ok {
			continue
		}
		for _, other := range sources {
			if other.into.String() == source.into.String() && !differ(other.same, source.same) {
				return nil
			}
		}
		if s.Related == nil {
			if own || !w.deletes() {
				continue // the first archive has all
			}
			own = true
		}
		sources = append(sources, source)
	}
	if !own {
		return nil
	}
	return sources
}

func differ(a, b map[string]string) bool {
	for column, value := range a {
		if other, ok := b[column]; ok && other != value {
			return true
		}
	}
	return false
}

// runID is what marks the rows of a run in an archive.
var runID = regexp.MustCompile(`(?i)^[\s(]*run\s*\.\s*id[\s)]*$`)

// archiveSource is not ok where the archive does not say which run its rows are of, or lacks
// something of them.
func (w *work) archiveSource(s step) (source restoreSource, ok bool) {
	from := w.table
	if s.Related != nil {
		from = w.relation(s.Related.Table)
	}
	if from == nil || len(from.PrimaryKey) == 0 {
		return source, false
	}
	into := w.archiveTable(s.Step, from)
	if into == nil || assigned(s.Archive.Set, s.Archive.Document) {
		return source, false
	}
	source = restoreSource{
		Schema: w.schema(), What: fmt.Sprintf("%s, from %s", tableComment(from), comment(s.Archive.Into.String())),
		From: quotedTable(s.Archive.Into), Table: qualified(from), Relation: literal(qualified(from)), Copy: true,
		Document: ident(s.Archive.Document), Removes: !w.protected(s.Archive.Into), into: s.Archive.Into, from: from, same: map[string]string{},
		place: w.placeOf(s, from),
	}
	if !w.markedBy(&source, s) || !w.columnsBack(&source, s, from, into) {
		return source, false
	}
	w.leaveHeld(&source)
	return source, true
}

func (w *work) protected(t policy.Table) bool {
	return slices.ContainsFunc(w.file.Protect, func(p policy.Table) bool { return p.String() == t.String() })
}

// placeOf is the step after which the rows were gone; what went by foreign keys went with the
// policy's own rows, and comes back after them.
func (w *work) placeOf(s step, from *catalog.Table) int {
	place := 0
	for _, d := range w.steps() {
		switch {
		case d.Delete == nil:
		case d.Related == nil && s.Related == nil, d.Related != nil && d.Related.Table.String() == tableName(from):
			place = 2 * d.number
		case d.Related == nil && place == 0:
			place = 2*d.number - 1
		}
	}
	return place
}

// markedBy are the conditions on the archive's row.
func (w *work) markedBy(source *restoreSource, s step) bool {
	marked := false
	for _, a := range s.Archive.Set {
		parsed, ok := w.parse(a.Value)
		switch {
		case runID.MatchString(a.Value.SQL):
			source.Which = append(source.Which, fragment("of run", ident(a.Column)))
			marked = true
		case ok && parsed.parsed.Literal:
			source.same[a.Column] = oneLine(a.Value.SQL)
			source.Which = append(source.Which, fragment("same constant", columnValue{ident(a.Column), enclosed(sqlText(oneLine(a.Value.SQL)))}))
		}
	}
	return marked
}

// columnsBack are all columns of the row, or it is not whole.
func (w *work) columnsBack(source *restoreSource, s step, from, into *catalog.Table) bool {
	for _, column := range from.Columns {
		if column.Generated {
			continue
		}
		back := restoredColumn{Number: len(source.Columns) + 1, Column: ident(column.Name), Name: literal(column.Name)}
		if back.Value = archivedValue(s, column, into); back.Value == "" {
			return false
		}
		source.Columns = append(source.Columns, back)
	}
	for _, name := range from.PrimaryKey {
		i := slices.IndexFunc(source.Columns, func(c restoredColumn) bool { return string(c.Column) == name })
		if i < 0 {
			return false
		}
		source.Key = append(source.Key, source.Columns[i])
	}
	return true
}

// archivedValue is a column of the row as the archive has it, "" where it has not.
func archivedValue(s step, column catalog.Column, into *catalog.Table) sqlText {
	d := struct {
		Alias  sqlText
		Column ident
		Type   string
	}{"a", ident(column.Name), ""}
	if s.Archive.Document != "" {
		d.Alias = "r"
		return fragment("restored column", d)
	}
	kept := into.Column(column.Name)
	if kept == nil || kept.Generated || assigned(s.Archive.Set, column.Name) {
		return ""
	}
	if kept.Type != "" && argumentType(kept.Type) != argumentType(column.Type) {
		d.Type = castType(column.Type)
	}
	return fragment("restored column", d)
}

// leaveHeld keeps held rows of the archive where they are.
func (w *work) leaveHeld(source *restoreSource) {
	source.Loose = source.Which
	if source.Removes {
		source.Loose = append(slices.Clone(source.Which), fragment("archive not held", w.schema()))
	}
}

// undoSources are the updates with "undo", the last one first.
func (w *work) undoSources() []restoreSource {
	var sources []restoreSource
	for _, s := range slices.Backward(w.steps()) {
		if s.Update != nil && s.Related == nil && len(s.Update.Undo) > 0 {
			sources = append(sources, w.undoSource(s))
		}
	}
	return sources
}

func (w *work) undoSource(s step) restoreSource {
	source := restoreSource{
		Schema: w.schema(), What: fmt.Sprintf("%s, as it was before step %d", tableComment(w.table), s.number),
		From: fragment("undo table", w.schema()), Table: qualified(w.table), Relation: literal(qualified(w.table)),
	}
	source.Which = []sqlText{"a.run_id = p_run", fragment("of policy", struct {
		Policy literal
		Number int
	}{literal(w.policy.Name), s.number})}
	source.Loose = source.Which
	for i, name := range w.table.PrimaryKey {
		typ := castType(w.table.Column(name).Type)
		source.Key = append(source.Key, restoredColumn{i + 1, ident(name), literal(name), fragment("restore key", struct {
			Number int
			Type   string
		}{i + 1, typ}), typ})
	}
	for i, a := range s.Update.Set {
		source.Columns = append(source.Columns, restoredColumn{Number: i + 1, Column: ident(a.Column), Name: literal(a.Column)})
	}
	for _, a := range s.Update.Undo {
		source.Set = append(source.Set, columnValue{ident(a.Column), enclosed(w.bind(a.Value))})
	}
	return source
}
