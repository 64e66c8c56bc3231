package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

func (w *policyCompiler) archive(s step) sqlText {
	into := s.into
	w.checkArchive(s)
	columns := append(s.copied(into), w.valueTexts(s.Archive.Set, "")...)
	w.refuseUnfilled(s, setColumns(columns))
	d := w.insertStep(s)
	d.Copied, d.Conflict = w.countsCopies(s), keepsOrReplaces(s.Archive)
	changes := 0
	for i := range columns {
		v := &columns[i]
		if s.Archive.Existing == "replace" && !slices.Contains(into.PrimaryKey, string(v.Column)) {
			v.Existing, changes = "excluded value", changes+1
		}
		if column := into.Column(string(v.Column)); column != nil && column.Identity == "always" {
			d.Override = true // values of identity columns are copied
		}
	}
	if s.Archive.Existing == "replace" {
		d.Target = identifiers(into.PrimaryKey)
		if len(into.PrimaryKey) == 0 || changes == 0 || into.Temporal() {
			w.fail(messages.ReplacesWithoutKey(tableName(into)), s.Position)
		}
	}
	if s.Archive.Existing == "keep" && slices.ContainsFunc(into.Indexes, catalog.Index.Deferrable) {
		w.fail(messages.KeepsByDeferrable(tableName(into)), s.Position)
	}
	if s.Archive.Document == "" || !s.untouched && s.Related == nil {
		// The table must have no columns besides those that are copied. Rows that are copied whole
		// include later columns.
		w.wholes = append(w.wholes, tableName(s.from))
	}
	return w.plainInsert(d, "a copy of each row", quotedTable(s.Archive.Into), columns)
}

// copied returns the columns of the row that an archive stores, except those that "set" gives. They
// are the columns of the archive, or the whole row in one column.
func (s step) copied(into *catalog.Table) []valueText {
	var list []valueText
	if name := s.Archive.Document; name != "" {
		list = append(list, valueText{ident(name), fragment("whole row", s.as), ""})
	} else {
		for _, column := range s.from.Columns {
			name := s.Archive.NameOf(column.Name)
			if target := into.Column(name); !column.Generated || target == nil || !target.Generated {
				list = append(list, valueText{ident(name), aliased(s.as, ident(column.Name)), ""})
			}
		}
	}
	return slices.DeleteFunc(list, func(v valueText) bool { return assigned(s.Archive.Set, string(v.Column)) })
}

// checkArchive refuses unknown columns and values that the archive cannot store. It also refuses
// two columns of the row that go into the same column of the archive.
func (w *policyCompiler) checkArchive(s step) {
	if s.Archive.Document != "" {
		w.knownColumn(s.into, s.Archive.Document, s.Position)
	} else {
		w.checkColumns(s)
	}
	for _, c := range s.Archive.Columns {
		w.knownColumn(s.into, c.Name, c.Position)
		known := w.knownColumn(s.from, c.From.Text, c.From.Position) != nil && c.From.Text != c.Name
		if known && s.from.Column(c.Name) != nil && s.Archive.NameOf(c.Name) == c.Name {
			w.fail(messages.ArchivedOver(tableName(s.into), c.Name, c.From.Text), c.Position)
		}
	}
	for _, a := range s.Archive.Set {
		w.knownColumn(s.into, a.Column, a.Position)
	}
}

// refuseUnfilled refuses an archive with a column that is NOT NULL and gets no value.
func (w *policyCompiler) refuseUnfilled(s step, given []string) {
	for _, name := range missing(s.into, given) {
		inKey := slices.Contains(s.into.PrimaryKey, name)
		w.fail(messages.ArchiveNotFilled(columnOf(s.into, name), inKey), s.Position)
	}
}

// checkColumns refuses a policy whose archive cannot store a column of the row. No column is left
// out silently.
func (w *policyCompiler) checkColumns(s step) {
	for _, column := range s.from.Columns {
		name, at := s.Archive.NameOf(column.Name), s.Position
		target := s.into.Column(name)
		if i := slices.IndexFunc(s.Archive.Columns, func(c policy.Renamed) bool { return c.Name == name }); i >= 0 {
			at = s.Archive.Columns[i].Position
		}
		switch {
		case assigned(s.Archive.Set, name), target != nil && target.Generated && column.Generated:
		case target == nil && name != column.Name: // the unknown name was refused before
		case target == nil:
			w.fail(messages.ArchiveHasNoColumn(columnOf(s.into, name), column.Type, tableName(s.from)), s.Position)
		case target.Generated:
			w.fail(messages.ArchiveGenerates(columnOf(s.into, name), tableName(s.from)), at)
		case narrows(column.Plain(), target.Plain()):
			w.fail(messages.NarrowArchive(tableName(s.into), name, target.Type, column.Type, name == column.Name), at)
		}
	}
}

// keepsOrReplaces reports whether "existing" says keep or replace, for a row that the archive
// already contains.
func keepsOrReplaces(a *policy.Archive) bool { return a.Existing == "keep" || a.Existing == "replace" }

// countsCopies reports whether a batch must delete as many rows as the step copies. This is so if
// the step copies the policy's own rows under the condition of the delete.
func (w *policyCompiler) countsCopies(s step) bool {
	if s.Archive == nil || s.Related != nil || s.Archive.Existing == "keep" || w.ownDelete == nil {
		return false
	}
	a, b := s.Where, w.ownDelete.Where
	return a == nil && b == nil || a != nil && b != nil && a.SQL == b.SQL
}

// archiveTable returns the table that an archive step writes to, from the snapshot or as the step
// creates it.
func (w *policyCompiler) archiveTable(s step) *catalog.Table {
	from, table := s.from, w.tables[s.target]
	switch {
	case !s.Archive.Create:
		return existing(w.relation, s.Archive.Into)
	case table != nil && len(table.PrimaryKey) == 0 && w.history.Has(ID{KindArchive, tableName(table)}):
		// An earlier migration created this table. Its key is the unique index, as it was before
		// the snapshot contained the table.
		copied := *table
		copied.PrimaryKey = s.archiveKey()
		return &copied
	case table != nil:
		return table
	}
	table = &catalog.Table{Schema: s.Archive.Into.Schema, Name: s.Archive.Into.Name, Kind: "table",
		PrimaryKey: s.archiveKey()}
	if s.Archive.Document == "" {
		table.Columns = lists.Map(from.Columns, func(c catalog.Column) catalog.Column {
			return catalog.Column{Name: s.Archive.NameOf(c.Name), Type: c.Type}
		})
	} else {
		table.Columns = []catalog.Column{{Name: s.Archive.Document, Type: "jsonb"}}
	}
	for _, a := range s.Archive.Set {
		if table.Column(a.Column) == nil {
			table.Columns = append(table.Columns, catalog.Column{Name: a.Column})
		}
	}
	return table
}

// archiveKey returns the key of an archive that the step creates.
func (s step) archiveKey() []string {
	if s.Archive.Document != "" {
		return nil
	}
	return lists.Map(s.from.PrimaryKey, s.Archive.NameOf)
}

// createdTables returns the archives that do not exist yet, or that an earlier migration created.
func (w *policyCompiler) createdTables() []Object {
	var objects []Object
	for _, s := range w.steps {
		id := ID{KindArchive, s.target}
		live := w.tables[id.Name]
		if s.Archive == nil || !s.Archive.Create || live != nil && !w.history.Has(id) {
			continue
		}
		object := w.createdTable(s)
		before, had := w.history.Object(id)
		if had && live == nil && withoutComments(before.SQL) != withoutComments(object.SQL) {
			w.fail(messages.ArchiveNotInSnapshot(id.Name), s.Archive.Into.Position)
		}
		objects = append(objects, object)
	}
	return objects
}

// createdArchive is the data of the template "archive".
type createdArchive struct {
	Policy, Into, From sqlText
	As                 ident
	Columns            []valueText
	Key                []ident
	Index              ident // the unique index on the key
}

func (w *policyCompiler) createdTable(s step) Object {
	w = w.with(outsideRun("NULL::timestamptz")).inStep(s)
	key := s.archiveKey()
	data := createdArchive{sqlText(w.policy.Name), quotedTable(s.Archive.Into), qualified(s.from), s.as,
		append(s.copied(&catalog.Table{}), w.emptyValues(s)...), identifiers(key),
		ident(indexName(s.target, strings.Join(key, ","), ""))}
	o := w.draft(KindArchive, s.target, "archive", data).object()
	o.Table, o.Position = s.target, s.Position
	return o
}

// emptyValues returns the values of "set" as they are without a row. The migration uses their types
// for the columns.
func (w *policyCompiler) emptyValues(s step) []valueText {
	list := w.valueTexts(s.Archive.Set, "")
	for i, a := range s.Archive.Set {
		// When the table is created, there is no row of a join or of a header.
		value := values(s.Archive.Set[i : i+1])
		header, joined := mentions(value, s.headerNames()...), len(w.joinsRead(value)) > 0
		typ := a.Value.Parsed().Type(w.columnType)
		switch {
		case !header && !joined:
			continue
		case typ == "" && !header && s.Related == nil:
			typ = w.typeOf(a.Value, "text")
		case typ == "":
			w.fail(messages.ArchiveOfUnknownType(a.Column), a.Position)
		}
		list[i].Value = fragment("null of", sqlText(typ))
	}
	return list
}

// digitsOf returns the last number in the parentheses of a type; -1 if the type has none.
func digitsOf(typ string) int {
	if sizes := catalog.Sizes(typ); len(sizes) > 0 {
		return sizes[len(sizes)-1]
	}
	return -1
}

// narrows reports whether an assignment from one type to another changes some values without an
// error. Such an assignment rounds numbers and times, or drops time zones and the ends of names.
// narrows returns false if PostgreSQL raises an error instead, and for types that are not listed.
func narrows(from, to string) bool {
	from, to = strings.TrimRight(from, "[]"), strings.TrimRight(to, "[]")
	a, b := catalog.Unsized(from), catalog.Unsized(to)
	switch {
	case strings.HasPrefix(a, "interval") && strings.HasPrefix(b, "interval"):
		return from != to && to != "interval"
	case slices.Contains(narrower[a], b):
		return true
	case a == "numeric" && b == "numeric", strings.HasPrefix(a, "time") && strings.HasPrefix(b, "time"):
		return digitsOf(to) >= 0 && (digitsOf(from) < 0 || digitsOf(from) > digitsOf(to))
	}
	return false
}

// narrower maps each type to the types that lose some of its values without an error in an
// assignment.
var narrower = map[string][]string{
	"integer":          {"real"},
	"bigint":           {"real", "double precision"},
	"numeric":          {"smallint", "integer", "bigint", "real", "double precision"},
	"real":             {"smallint", "integer", "bigint", "numeric"},
	"double precision": {"smallint", "integer", "bigint", "numeric", "real"},
	"timestamp with time zone": {"timestamp without time zone", "date", "time with time zone",
		"time without time zone"},
	"timestamp without time zone": {"date", "time without time zone"},
	"time with time zone":         {"time without time zone"},
	"interval":                    {"time without time zone"},
	"text":                        {"character", "name", `"char"`},
	"character varying":           {"character", "name", `"char"`},
	"character":                   {"name", `"char"`},
}

// noteArchives warns if a column of an archive cannot store each value of its column. The server
// refuses a row with such a value.
func (c *compiler) noteArchives(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Archive == nil || s.Archive.Document != "" {
			continue
		}
		source := p.Table
		if s.Related != nil {
			source = s.Related.Table
		}
		from, into := c.tables[source.String()], c.tables[s.Archive.Into.String()]
		if from == nil || into == nil {
			continue // refused elsewhere
		}
		for _, column := range from.Columns {
			name := s.Archive.NameOf(column.Name)
			target := into.Column(name)
			if target == nil || assigned(s.Archive.Set, name) || !smaller(column.Plain(), target.Plain()) {
				continue
			}
			of := columnOf(from, column.Name)
			c.warn(messages.SmallerArchive(columnOf(into, name), target.Type, of, column.Type), s.Position)
		}
	}
}

// smaller reports whether an assignment from one type to another raises an error for some values.
// It returns false for types that are not listed.
func smaller(from, to string) bool {
	a, b := catalog.Unsized(from), catalog.Unsized(to)
	integers := []string{"smallint", "integer", "bigint"}
	texts := []string{"character varying", "text"}
	switch {
	case slices.Contains(integers, a) && slices.Contains(integers, b):
		return slices.Index(integers, b) < slices.Index(integers, a)
	case slices.Contains(texts, a) && b == texts[0]:
		return digitsOf(to) >= 0 && (digitsOf(from) < 0 || digitsOf(from) > digitsOf(to))
	}
	return false
}
