package generator

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// rowFacts describes the rows of a policy in the registry, for retention.row_statistics and
// retention._count. Its SQL reads the policy's table as t and a batch_range as $1. An empty field
// is not queried.
type rowFacts struct {
	// clock of a row; "" if there are several clocks, or it reads another table
	Clock    string            `json:"clock,omitempty"`
	Value    string            `json:"value,omitempty"`    // the clock in readable form, if it differs from Clock
	At       string            `json:"at,omitempty"`       // the clock as compared, if it differs from Value
	Encoding *instantEncoding  `json:"encoding,omitempty"` // converts the least value into a timestamp for people
	Where    string            `json:"where,omitempty"`    // condition that selects the policy's rows; "" for all rows
	Nulls    bool              `json:"nulls,omitempty"`    // count the rows without a clock value
	Ahead    string            `json:"ahead,omitempty"`    // a clock value above this one is far ahead
	Archives map[string]string `json:"archives,omitempty"` // maps an archive to its column with the number of the run
	Clocks   []encodedClock    `json:"clocks,omitempty"`   // the clocks with an encoding
}

// encodedClock tells retention._clock_sample how to read values of an encoded clock. It tells
// retention._clock_fault which values are plausible. Its SQL reads a row as t, a batch_range as $1
// and the present as $2. A run with an earlier as_of needs both: Where selects the rows of the run,
// and values up to the present are plausible.
type encodedClock struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Since   string `json:"since"`             // smaller values encode no plausible instant
	Until   string `json:"until"`             // greater values are far after the present
	Key     string `json:"key,omitempty"`     // condition: the value is a key of the encoding; "" if every value is
	Foreign string `json:"foreign,omitempty"` // condition: the value looks like a key of another kind; "" if unknown
	Years   int    `json:"years"`             // years between the present and Until
	Checked bool   `json:"checked,omitempty"` // the policy has a "since" later than the default
	From    string `json:"from,omitempty"`    // FROM clause of the rows, unless it is the policy's table
	Indexed bool   `json:"indexed,omitempty"` // an index can return the values in order
	Where   string `json:"where,omitempty"`   // condition that selects the policy's rows
	Partial bool   `json:"partial,omitempty"` // the index contains only rows for which Where is true
	instantEncoding
}

// instantEncoding says how a number or key encodes an instant, for retention._decode_clock.
type instantEncoding struct {
	Kind  string `json:"kind"`
	Epoch int64  `json:"epoch,omitempty"`
	Shift int    `json:"shift,omitempty"`
}

// facts returns the row facts of the policy. If the policy has several clocks, it leaves them out,
// because no clock alone decides whether a row is due.
func (w *policyCompiler) facts() rowFacts {
	f := rowFacts{Archives: w.factsArchives(), Clocks: w.encodedClocks()}
	if w.policy.Partitions {
		f.Clock = "d.upper"
		if catalog.Unsized(w.partitioned.key.Plain()) == "uuid" {
			f.Clock += "::text" // min(uuid) does not exist
		}
	}
	if len(w.clocks) != 1 || w.clocks[0] == nil {
		return f
	}
	k, source := w.clocks[0], w.clocks[0].source
	shown, at := plainText(k.expr), plainText(k.expr)
	if k.typ == "uuid" { // min(uuid) does not exist
		shown = plainText(fragment("as text", k.expr))
	}
	if !w.policy.Partitions && k.own {
		f.Clock = shown
		if k.key != "" && source.NullsDue {
			f.Clock = plainText(fragment("case", []tier{{k.key, sqlText(f.Clock)}}))
		}
	}
	if source.Encoding.Kind != "" {
		f.Encoding = &instantEncoding{source.Encoding.Kind, source.Encoding.Epoch, source.Encoding.Shift}
	}
	if source.Kind == "position" {
		return f
	}
	f.Ahead = plainText(w.farAhead(k, w.asOf))
	if shown != f.Clock {
		f.Value = shown
	}
	if at != shown {
		f.At = at
	}
	f.Where = plainText(w.where)
	column := w.table.Column(k.column)
	f.Nulls = !source.NullsDue && !source.NullsKept && (column == nil || !column.NotNull)
	return f
}

// laterInstant is an instant some years after another one.
type laterInstant struct {
	Instant sqlText
	Years   int
}

// yearsAhead returns a number of years. A clock value that is more years ahead than this is
// implausible. An age is in the past, and most expiries are near.
func yearsAhead(source *policy.Clock) int {
	if source.Kind == "expires" {
		return 10
	}
	return 1
}

// farAhead returns the greatest plausible clock value at an instant, as SQL. A greater value is
// "far ahead".
func (w *policyCompiler) farAhead(k *clock, instant sqlText) sqlText {
	return w.converted(k, fragment("years later", laterInstant{instant, yearsAhead(k.source)}))
}

// encodedClocks returns the clocks that encode an instant. It returns clocks with equal values,
// conditions and encodings once.
func (w *policyCompiler) encodedClocks() []encodedClock {
	var list []encodedClock
	for _, k := range w.clocks {
		if k == nil || k.since == "" {
			continue
		}
		encoding := k.source.Encoding
		c := encodedClock{
			Name: k.column, Value: plainText(k.expr), Since: plainText(k.since), Until: plainText(w.farAhead(k, "$2")),
			Key: plainText(k.key), Years: yearsAhead(k.source), Checked: k.source.Since > defaultSince,
			Where: plainText(w.where), Indexed: k.indexed != "" && !w.policy.Partitions, Partial: w.predicate != "",
			instantEncoding: instantEncoding{encoding.Kind, encoding.Epoch, encoding.Shift},
		}
		if k.source.Expression != nil {
			c.Name = k.source.Expression.SQL
		}
		if c.Kind == "ulid" && k.typ == "uuid" && !w.policy.Partitions {
			c.Foreign = plainText(fragment("a uuid of another kind", k.expr))
		}
		if w.policy.Partitions {
			c.From, c.Where = plainText(fragment("bounds of partitions", w.duePartitions())), ""
		}
		list = lists.AppendUnique(list, c)
	}
	return list
}

// factsArchives returns the archives whose rows can be counted by run, each with its column for the
// number of the run. The counts must equal the run log. Therefore every step that writes into such
// an archive must archive rows, mark them with the run and replace no row.
func (w *policyCompiler) factsArchives() map[string]string {
	runs := map[string]string{}
	for _, s := range w.steps {
		if s.SQL != nil {
			return nil
		}
		run := w.runColumn(s)
		if before, again := runs[s.target]; again && before != run {
			run = ""
		}
		runs[s.target] = run
	}
	maps.DeleteFunc(runs, func(_, run string) bool { return run == "" })
	return runs
}

// runColumn returns the column with the number of the run, for an archive that only grows;
// otherwise "".
func (w *policyCompiler) runColumn(s step) string {
	if s.Archive == nil || keepsOrReplaces(s.Archive) {
		return ""
	}
	for _, a := range s.Archive.Set {
		counts := slices.Contains([]string{"", "bigint", "integer", "numeric"}, s.into.Column(a.Column).Plain())
		if counts && a.Value.Parsed().IsColumn("run", "id") {
			return a.Column
		}
	}
	return ""
}

// restoreSource tells retention.restore where one step kept rows or values: in an archive of whole
// rows, or in the table of an update with "undo". The values of Same and Set are SQL.
type restoreSource struct {
	Table    string            `json:"table"`              // table that gets the rows or values back
	From     string            `json:"from"`               // table that keeps them
	Run      string            `json:"run"`                // column of From with the number of the run
	Same     map[string]string `json:"same,omitempty"`     // constants in the rows of From that this step wrote
	Document string            `json:"document,omitempty"` // column of From with the whole row
	Names    map[string]string `json:"names,omitempty"`    // columns that have another name in From
	Stays    bool              `json:"stays,omitempty"`    // restored rows stay in From
	Key      []string          `json:"key"`                // key columns of Table
	// columns of Table with their types: all, or those of the update
	Columns map[string]string `json:"columns"`
	Set     map[string]string `json:"set,omitempty"`

	table, archive policy.Table
}

func (w *policyCompiler) restores() []restoreSource {
	archives := w.archiveSources()
	for _, s := range archives {
		w.addRight(s.table, policy.Access{Insert: true})
		w.addRight(s.archive, policy.Access{Delete: !s.Stays})
	}
	return append(archives, w.undoSources()...)
}

// archiveSources returns the archives from which the rows of the policy can be restored. It returns
// none if no archive contains the whole rows of the policy, or if one archive contains rows of two
// steps without a constant that distinguishes them.
func (w *policyCompiler) archiveSources() []restoreSource {
	var sources []restoreSource
	own := false
	for _, s := range w.steps {
		source, ok := w.archiveSource(s)
		switch {
		case !ok:
			continue
		case slices.ContainsFunc(sources, func(o restoreSource) bool {
			return o.From == source.From && !differ(o.Same, source.Same)
		}):
			return nil
		case s.Related == nil && (own || w.ownDelete == nil):
			continue // the first archive contains everything
		}
		own = own || s.Related == nil
		sources = append(sources, source)
	}
	if !own {
		return nil
	}
	return sources
}

// differ reports whether a column has different constants in a and b.
func differ(a, b map[string]string) bool {
	for column, value := range a {
		if other, ok := b[column]; ok && other != value {
			return true
		}
	}
	return false
}

// archiveSource returns an archive as a restore source. ok is false if the archive does not say
// which run a row belongs to, or if it lacks a column.
func (w *policyCompiler) archiveSource(s step) (source restoreSource, ok bool) {
	from, archive := s.from, s.Archive
	if archive == nil || len(from.PrimaryKey) == 0 || assigned(archive.Set, archive.Document) {
		return source, false
	}
	into := s.into
	source = sourceOfTable(from, columnNames(from))
	source.From, source.archive, source.Document = archive.Into.String(), archive.Into, archive.Document
	for _, c := range archive.Columns {
		source.Names[c.From.Text] = c.Name
	}
	source.Stays = slices.Contains(tableNames(w.file.Protect), source.From)
	for _, a := range archive.Set {
		if a.Value.Parsed().IsColumn("run", "id") {
			source.Run = a.Column
		} else if a.Value.Parsed().Literal {
			source.Same[a.Column] = strings.TrimSpace(a.Value.SQL)
		}
	}
	return source, source.Run != "" && !slices.ContainsFunc(from.Columns, func(c catalog.Column) bool {
		if c.Generated {
			return slices.Contains(from.PrimaryKey, c.Name)
		}
		name := archive.NameOf(c.Name)
		kept := into.Column(name)
		return source.Document == "" && (kept == nil || kept.Generated || assigned(archive.Set, name))
	})
}

func sourceOfTable(table *catalog.Table, columns []string) restoreSource {
	source := restoreSource{
		Table:   tableName(table),
		Key:     table.PrimaryKey,
		Same:    map[string]string{},
		Names:   map[string]string{},
		Columns: map[string]string{},
		table:   policy.Table{Schema: table.Schema, Name: table.Name},
	}
	for _, c := range table.Columns {
		if !slices.Contains(columns, c.Name) {
			continue
		}
		source.Columns[c.Name] = c.Type
		if c.Generated {
			source.Columns[c.Name] += " generated"
		}
	}
	return source
}

// undoSources returns the updates with "undo", the last one first.
func (w *policyCompiler) undoSources() []restoreSource {
	w = w.with(outsideRun("$5"))
	var sources []restoreSource
	for _, s := range slices.Backward(w.steps) {
		if s.Update == nil || s.Related != nil || len(s.Update.Undo) == 0 {
			continue
		}
		columns := slices.Concat(w.table.PrimaryKey, lists.Map(s.Update.Set, assignedColumn),
			lists.Map(s.Update.Undo, assignedColumn))
		source := sourceOfTable(w.table, columns)
		source.From, source.Run, source.Set = w.schema()+".undo", "run_id", map[string]string{}
		for _, a := range s.Update.Undo {
			source.Set[a.Column] = plainText(w.bind(a.Value))
		}
		source.Same["policy"], source.Same["step"] = literal(w.policy.Name).String(), strconv.Itoa(s.number)
		sources = append(sources, source)
	}
	return sources
}

// dependency lists what a policy uses of one relation. retention._changed_dependencies compares it
// with the catalog.
type dependency struct {
	Kind string `json:"kind,omitempty"` // kind of the relation; "" for a table
	// columns that the policy names, with type and collation; NOT NULL for ranks
	Columns map[string]string `json:"columns,omitempty"`
	// the relation must have no other columns, because a step copies its rows column by column
	Whole bool     `json:"whole,omitempty"`
	Key   []string `json:"key,omitempty"` // key by which rows are found again
	// foreign keys that change rows when rows of this table are deleted; empty, but not nil, if a
	// cascade deletes rows here and goes no further
	Cascades []string `json:"cascades,omitzero"`
	// types of the policy's expressions, by the queries that return them
	Types map[string]string `json:"types,omitempty"`
}

// dependenciesOf returns the policy's dependencies by relation: relations that it names, and
// relations that foreign keys reach from its deletes. It leaves out archives that the policy
// creates, because the snapshot may lack them.
func (w *policyPlan) dependenciesOf(functions []Object) map[string]*dependency {
	all := map[string]*dependency{}
	own, other := w.namesIn(functions)
	uses := w.policy.Uses()
	for _, r := range w.rights {
		name := r.table.String()
		table, names := w.tables[name], other
		made := func(u policy.Effect) bool { return u.Created && u.Table.String() == name }
		if all[name] != nil || table == nil || table.Schema == w.runtimeName || slices.ContainsFunc(uses, made) {
			continue
		}
		if name == tableName(w.table) {
			names = own
		}
		all[name] = w.newDependency(table, names)
	}
	for _, d := range w.policy.Deletes() {
		w.addCascades(all, d.Table.String())
	}
	if len(w.types) > 0 {
		w.dependencyOn(all, tableName(w.table)).Types = w.types
	}
	return all
}

func kindOf(table *catalog.Table) string {
	if table == nil || table.Kind == "table" {
		return ""
	}
	return table.Kind
}

// newDependency returns what the policy uses of a table. The parameter "names" contains every name
// that may mean a column of the table; nil means all columns.
func (w *policyPlan) newDependency(table *catalog.Table, names map[string]bool) *dependency {
	name := tableName(table)
	e := &dependency{Kind: kindOf(table), Columns: map[string]string{}, Whole: slices.Contains(w.wholes, name)}
	own := name == w.policy.Table.String()
	primary := slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool { return i.Primary })
	if slices.Contains(w.keys, name) || own && !w.policy.Partitions && !primary { // its columns may become nullable
		e.Key = table.PrimaryKey
	}
	if own && w.policy.Partitions {
		return e
	}
	for _, c := range table.Columns {
		if !e.Whole && names != nil && !names[c.Name] {
			continue
		}
		if e.Columns[c.Name] = c.Type; c.Collation != "" {
			e.Columns[c.Name] += " COLLATE " + c.Collation
		}
		if own && c.NotNull && slices.Contains(w.rankedBy, c.Name) {
			e.Columns[c.Name] += " NOT NULL"
		}
	}
	return e
}

// dependencyOn returns the dependency for a relation. It adds one if there is none.
func (w *policyPlan) dependencyOn(all map[string]*dependency, name string) *dependency {
	if all[name] == nil {
		all[name] = &dependency{Kind: kindOf(w.tables[name])}
	}
	return all[name]
}

// addCascades adds the foreign keys along which deletes from a table change rows. Each is
// recorded at the table that it references. A table whose rows a cascade deletes has at least an
// empty list.
func (w *policyPlan) addCascades(all map[string]*dependency, from string) {
	for _, key := range w.cascadeKeys(from) {
		name := w.tables.Root(key.Table)
		e, child := w.dependencyOn(all, w.tables.Root(key.RefTable)), w.dependencyOn(all, name)
		if key.OnDelete == "cascade" && child.Cascades == nil {
			child.Cascades = []string{}
		}
		columns := strings.Join(slices.Sorted(slices.Values(key.Columns)), ", ")
		e.Cascades = lists.AppendUnique(e.Cascades, fmt.Sprintf("%s (%s) %s", name, columns, key.OnDelete))
		slices.Sort(e.Cascades)
	}
}

// namesIn returns names in a policy's SQL that may mean columns of its own table, and names that
// may mean columns of other tables. nil means all columns. It reads the generated SQL, so it finds
// the names of every clock, cursor and step. A name that means something else does no harm.
func (w *policyPlan) namesIn(functions []Object) (own, other map[string]bool) {
	own = maps.Clone(w.named)
	note := func(set []policy.Assignment) {
		for _, a := range set {
			own[a.Column] = true
		}
	}
	for _, s := range w.policy.Sets() {
		note(s.Set)
	}
	for _, s := range w.policy.Then {
		if s.Insert != nil {
			note(s.Insert.Set)
		}
		if s.Archive != nil {
			for _, c := range s.Archive.Columns {
				own[c.Name] = true
			}
		}
	}
	other = maps.Clone(own)
	for _, f := range functions {
		for qualifier, name := range pgparse.QualifiedNames(f.SQL) {
			other[name] = true
			own[name] = own[name] || qualifier == "t"
		}
	}
	if w.star {
		other = nil
	}
	return own, other
}

// noteNames records the columns that an expression may mean, and the schemas in which it looks up
// functions, types and operators.
func (w *policyCompiler) noteNames(e *pgparse.Expr) {
	for _, schema := range e.Schemas {
		if schema != "pg_catalog" && schema != w.runtimeName && !slices.Contains(w.file.Install.SearchPath, schema) {
			w.schemas = lists.AppendUnique(w.schemas, schema)
		}
	}
	slices.Sort(w.schemas)
	for _, ref := range e.Columns {
		if w.star = w.star || ref.Star; len(ref.Fields) > 0 {
			w.named[ref.Fields[len(ref.Fields)-1]] = true
		}
	}
}
