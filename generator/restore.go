package generator

import (
	"regexp"
	"slices"
	"strconv"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// restoreSource tells retention.restore of one step that kept what it took or changed: an archive of whole rows, or
// what an update with "undo" wrote. Values of Same and Set are SQL.
type restoreSource struct {
	Table    string            `json:"table"`
	From     string            `json:"from"`
	Run      string            `json:"run"`            // the column of From with the number of the run
	Same     map[string]string `json:"same,omitempty"` // constants that tell these rows of From from others
	Document string            `json:"document,omitempty"`
	Stays    bool              `json:"stays,omitempty"` // what is restored stays in From
	Key      []string          `json:"key"`             // of Table
	Columns  map[string]string `json:"columns"`         // of Table, with their types: all, or those of the update
	Set      map[string]string `json:"set,omitempty"`

	table, archive policy.Table
}

// restores is the registry's list of what can be restored.
func (w *work) restores() []restoreSource {
	if w.policy.Partitions {
		return nil
	}
	list := append(w.archiveSources(), w.undoSources()...)
	for _, s := range list {
		if s.Set == nil {
			w.addRight(s.table, policy.Access{Insert: true})
			w.addRight(s.archive, policy.Access{Delete: !s.Stays})
		}
	}
	return list
}

// archiveSources is empty unless the policy's own rows are among them, whole, and no archive mixes rows that cannot
// be told apart.
func (w *work) archiveSources() []restoreSource {
	var sources []restoreSource
	own := false
	for _, s := range w.steps() {
		source, ok := w.archiveSource(s)
		switch {
		case !ok:
			continue
		case slices.ContainsFunc(sources, func(o restoreSource) bool { return o.From == source.From && !differ(o.Same, source.Same) }):
			return nil
		case s.Related == nil && (own || !w.deletes()):
			continue // the first archive has all
		}
		own = own || s.Related == nil
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

// archiveSource is not ok where the archive does not say which run its rows are of, or lacks something of them.
func (w *work) archiveSource(s step) (source restoreSource, ok bool) {
	if s.Archive == nil {
		return source, false
	}
	from := w.table
	if s.Related != nil {
		from = w.relation(s.Related.Table)
	}
	if from == nil || len(from.PrimaryKey) == 0 || assigned(s.Archive.Set, s.Archive.Document) {
		return source, false
	}
	into := w.archiveTable(s.Step, from)
	if into == nil {
		return source, false
	}
	source = w.sourceOfTable(from, columnNames(from))
	source.From, source.archive, source.Document = s.Archive.Into.String(), s.Archive.Into, s.Archive.Document
	source.Stays = slices.ContainsFunc(w.file.Protect, func(p policy.Table) bool { return p.String() == source.From })
	for _, a := range s.Archive.Set {
		if runID.MatchString(a.Value.SQL) {
			source.Run = a.Column
		} else if parsed, ok := w.parse(a.Value); ok && parsed.parsed.Literal {
			source.Same[a.Column] = oneLine(a.Value.SQL)
		}
	}
	return source, source.Run != "" && !slices.ContainsFunc(from.Columns, func(c catalog.Column) bool {
		kept := into.Column(c.Name)
		if c.Generated {
			return slices.Contains(from.PrimaryKey, c.Name)
		}
		return source.Document == "" && (kept == nil || kept.Generated || assigned(s.Archive.Set, c.Name))
	})
}

// sourceOfTable is about columns of a table.
func (w *work) sourceOfTable(table *catalog.Table, columns []string) restoreSource {
	source := restoreSource{
		Table: tableName(table), Key: table.PrimaryKey, Same: map[string]string{}, Columns: map[string]string{},
		table: policy.Table{Schema: table.Schema, Name: table.Name},
	}
	for _, name := range columns {
		if c := table.Column(name); c != nil && c.Generated {
			source.Columns[name] = c.Type + " generated"
		} else if c != nil {
			source.Columns[name] = c.Type
		}
	}
	return source
}

// undoSources are the updates with "undo", the last one first.
func (w *work) undoSources() []restoreSource {
	asOf := w.binder.asOf
	w.binder.asOf = "$5"
	defer func() { w.binder.asOf = asOf }()
	var sources []restoreSource
	for _, s := range slices.Backward(w.steps()) {
		if s.Update == nil || s.Related != nil || len(s.Update.Undo) == 0 {
			continue
		}
		set := map[string]string{}
		columns := slices.Clone(w.table.PrimaryKey)
		for _, a := range s.Update.Set {
			columns = append(columns, a.Column)
		}
		for _, a := range s.Update.Undo {
			columns = append(columns, a.Column)
			set[a.Column] = plainText(w.bind(a.Value))
		}
		source := w.sourceOfTable(w.table, columns)
		source.From, source.Run, source.Set = w.schema()+".undo", "run_id", set
		source.Same["policy"], source.Same["step"] = literal(w.policy.Name).String(), strconv.Itoa(s.number)
		sources = append(sources, source)
	}
	return sources
}
