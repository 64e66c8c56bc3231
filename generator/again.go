package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/quote"
)

// adoption says that an index of a table gets another name instead of being built again. Found is
// its present name. If Found is "", the index Name of another table only makes room.
type adoption struct{ Schema, Name, Table, Found literal }

// againData is the data of the template "again". State is "" if the database has lost nothing.
type againData struct {
	Schema, State sqlText
	Adopts        []adoption
}

// writeAgain puts a text before each object that the database of the snapshot has lost. So the
// object differs from the one in the history, and the next step writes it again. The text stays as
// long as the object does not change otherwise, so the step is written once. The indexes have the
// text already.
func (c project) writeAgain(objects []Object) []Object {
	functions := map[string][]string{} // names, by policy
	for _, o := range objects {
		if o.Kind == KindFunction && o.Policy != "" {
			functions[o.Policy] = append(functions[o.Policy], functionName(o.Name))
		}
	}
	for i, o := range objects {
		if o.Kind == KindPrivilege || o.Kind == KindColumn || o.Kind == KindPolicy {
			objects[i] = c.again(o, nil, functions[o.Name])
		}
	}
	return objects
}

// again returns an object with the text before it, if it needs one. adopts belong to an index,
// functions to a policy.
func (c project) again(o Object, adopts []adoption, functions []string) Object {
	before, _ := c.history.Object(o.ID())
	text, lost := before.Parts[PartAgain], before.Parts[PartLost]
	there, unchanged := c.snapshot.Install, before.SQL == text+o.SQL
	if hasScript(o.Kind) { // a script ends with the row of its policy, which contains a hash of the rest
		unchanged = strings.HasSuffix(before.SQL, text+o.SQL)
	}
	switch {
	case unchanged && there != nil && c.history.applied(o.ID(), there.State) && c.isLost(o, functions):
		lost = there.State
	case unchanged:
		return o.after(text, lost)
	default:
		lost = ""
	}
	if there == nil {
		return o
	}
	text = execute("again.sql.tmpl", againData{sqlText(c.schema()), sqlText(lost), adopts})
	return o.after(text, lost)
}

// after returns an object behind a text. lost is the state that the text names.
func (o Object) after(text, lost string) Object {
	o.SQL = text + o.SQL
	return o.with(PartAgain, text).with(PartLost, lost)
}

// isLost reports whether the database of the snapshot lacks an object or a part of it.
func (c project) isLost(o Object, functions []string) bool {
	there, table := c.snapshot.Install, c.snapshot.Table(o.Table)
	switch o.Kind {
	case KindPrivilege:
		return slices.ContainsFunc(o.Rights, func(r Right) bool {
			known := r.Kind != "table" || table != nil // an archive may not exist yet
			lacks := func(p sqlText) bool { return !there.Holds(string(r.Kind), r.Object(), string(p)) }
			return known && string(r.Role) == c.file.Install.Roles.Worker && slices.ContainsFunc(r.Privileges, lacks)
		})
	case KindColumn:
		return table != nil && table.Column(strings.TrimPrefix(o.Name, o.Table+".")) == nil
	case KindIndex:
		return table != nil && !there.HasIndex(o.Name, o.Table)
	case KindPolicy:
		return slices.ContainsFunc(functions, func(f string) bool { return !slices.Contains(there.Functions, f) })
	}
	return false
}

// functionName returns the unquoted name of a function from its signature, without its schema.
func functionName(signature string) string {
	name, _, _ := strings.Cut(signature, "(")
	_, name, _ = strings.Cut(name, ".")
	return strings.ReplaceAll(strings.Trim(name, `"`), `""`, `"`)
}

// adopts returns which indexes of the snapshot serve as the index of a table and of its partitions.
// These are indexes that a migration built with the same content, before a rename, a new schema or
// a swap of their table.
func (p *policyPlan) adopts(name, items, predicate string) (list []adoption) {
	there := p.snapshot.Install
	if there == nil {
		return nil
	}
	var taken []string
	add := func(table *catalog.Table, name string) {
		if there.HasIndex(table.Schema+"."+name, tableName(table)) {
			return
		}
		found := ""
		for _, b := range there.Indexes {
			schema, built, _ := strings.Cut(b.Built, ".")
			same := schema != "" && built == indexName(b.BuiltTable, items, predicate)
			plain := quote.Comment(b.Name) == b.Name // without control characters
			free := b.Valid && b.Table == tableName(table) && !slices.Contains(taken, b.Name)
			if found == "" && same && plain && free {
				found, taken = strings.TrimPrefix(b.Name, table.Schema+"."), append(taken, b.Name)
			}
		}
		blocked := slices.ContainsFunc(there.Indexes, func(b catalog.BuiltIndex) bool {
			return b.Name == table.Schema+"."+name && !slices.Contains(taken, b.Name)
		})
		if found != "" || blocked {
			list = append(list, adoption{literal(table.Schema), literal(name), literal(table.Name), literal(found)})
		}
	}
	for _, child := range slices.Backward(p.tables.PartitionTree(tableName(p.table))) { // deepest first
		if tableName(child) != tableName(p.table) {
			add(child, indexName(tableName(child), items, predicate))
		}
	}
	add(p.table, name)
	return list
}
