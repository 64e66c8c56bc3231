package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pgretain/internal/quote"
)

type column struct {
	name    string
	kind    kind
	notNull bool
	read    string // SQL expression that query compares; empty: the column itself
	typ     string // type in the database; empty: kind
}

// foreignKey is a foreign key that refers to the key of another table.
type foreignKey struct {
	columns []string
	to      *table
	action  string // ON DELETE
}

type table struct {
	name          string
	columns       []column
	key           []string
	unique        bool   // the key is a unique constraint, not the primary key
	keyless       bool   // the columns of the key may be NULL, so pgretain finds no key
	partition     string // "", HASH, RANGE or LIST, by the first column of the key
	columnDropped bool   // a column was dropped, and the partitions differ (see partitions)
	foreign       []foreignKey
	above         *table // the inheritance parent, or nil
}

// ref returns the table's qualified name in SQL.
func (t *table) ref() string { return "app." + quote.Ident(t.name) }

func (t *table) column(name string) column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	panic(t.name + " has no column " + name)
}

// compareKeys returns the order of two rows by their keys.
func (t *table) compareKeys(a, b row) int {
	for _, name := range t.key {
		if n := compare(a[name], b[name]); n != 0 {
			return n
		}
	}
	return 0
}

// create returns the statements that create the table.
func (t *table) create() string {
	var columns, constraints []string
	for _, c := range t.columns {
		typ := string(c.kind)
		if c.typ != "" {
			typ = c.typ
		}
		column := quote.Ident(c.name) + " " + typ
		if c.notNull || slices.Contains(t.key, c.name) && !t.keyless {
			column += " NOT NULL"
		}
		columns = append(columns, column)
	}
	if !t.unique && len(t.key) > 0 {
		constraints = append(constraints, "PRIMARY KEY ("+quote.Idents(t.key)+")")
	}
	if t.unique {
		constraints = append(constraints, "UNIQUE ("+quote.Idents(t.key)+")")
	}
	for _, f := range t.foreign {
		constraints = append(constraints, fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s) ON DELETE %s",
			quote.Idents(f.columns), f.to.ref(), quote.Idents(f.to.key), f.action))
	}
	by, parts := t.partitions(columns)
	sql := ""
	if t.above != nil {
		sql, by = t.above.create(), " INHERITS ("+t.above.ref()+")"
	}
	sql += t.made(t.ref(), append(slices.Clone(columns), constraints...), by) + parts
	for _, f := range t.foreign {
		sql += fmt.Sprintf("CREATE INDEX ON %s (%s);\n", t.ref(), quote.Idents(f.columns))
	}
	return sql
}

// made returns the statements that create a table with columns. If columnDropped is set, they also
// add a column and drop it.
func (t *table) made(ref string, columns []string, by string) string {
	if !t.columnDropped {
		return fmt.Sprintf("CREATE TABLE %s (%s)%s;\n", ref, strings.Join(columns, ", "), by)
	}
	return fmt.Sprintf("CREATE TABLE %s (gone text, %s)%s;\nALTER TABLE %[1]s DROP gone;\n", ref,
		strings.Join(columns, ", "), by)
}

// bounds has the bounds of the partitions for each partitioning strategy.
var bounds = map[string][]string{
	"HASH": {"FOR VALUES WITH (MODULUS 3, REMAINDER 0)", "FOR VALUES WITH (MODULUS 3, REMAINDER 1)",
		"FOR VALUES WITH (MODULUS 3, REMAINDER 2)"},
	"RANGE": {"FOR VALUES FROM (MINVALUE) TO (7)", "FOR VALUES FROM (20) TO (MAXVALUE)", "FOR VALUES FROM (7) TO (20)"},
	"LIST":  {"FOR VALUES IN (5)", "FOR VALUES IN (6, 7)", "DEFAULT"},
}

// partitions returns the PARTITION BY clause and the statements that create the partitions. If
// columnDropped is set, the second partition is attached with reversed columns, and the third is
// partitioned itself.
func (t *table) partitions(columns []string) (by, sql string) {
	if t.partition == "" {
		return "", ""
	}
	reversed := slices.Clone(columns)
	slices.Reverse(reversed)
	for n, bound := range bounds[t.partition] {
		part := func(suffix string) string {
			return "app." + quote.Ident(fmt.Sprintf("%s part %d%s", t.name, n, suffix))
		}
		of := fmt.Sprintf("CREATE TABLE %s PARTITION OF %s %s", part(""), t.ref(), bound)
		switch {
		case t.columnDropped && n == 1:
			sql += t.made(part(""), reversed, "") + fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s %s;\n", t.ref(),
				part(""), bound)
		case t.columnDropped && n == 2:
			sql += fmt.Sprintf("%s PARTITION BY HASH (%s);\n", of, quote.Ident(t.key[len(t.key)-1]))
			for i := range 2 {
				sql += fmt.Sprintf("CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS 2, REMAINDER %d);\n",
					part(fmt.Sprint(".", i)), part(""), i)
			}
		default:
			sql += of + ";\n"
		}
	}
	return fmt.Sprintf(" PARTITION BY %s (%s)", t.partition, quote.Ident(t.key[0])), sql
}

// disturbances returns statements that move rows of the table, or drop or rebuild indexes. They do
// not change the content of a row.
func (t *table) disturbances() []string {
	key := quote.Ident(t.key[0])
	all := []string{"VACUUM FULL " + t.ref(), "REINDEX TABLE " + t.ref(), "ANALYZE " + t.ref(),
		fmt.Sprintf("UPDATE %s SET %s = %[2]s", t.ref(), key),
		fmt.Sprintf(dropIndexes, quote.Literal(t.ref()))}
	if t.partition != "" {
		all = append(all, fmt.Sprintf(attachAgain, quote.Literal(t.ref())))
	}
	return all
}

const (
	dropIndexes = `DO $$ DECLARE r record; BEGIN
	FOR r IN SELECT indexrelid::regclass AS name FROM pg_index WHERE indrelid = %s::regclass AND NOT indisunique LOOP
		EXECUTE format('DROP INDEX %%s', r.name);
	END LOOP; END $$`
	attachAgain = `DO $$ DECLARE r record; BEGIN
	FOR r IN SELECT inhparent::regclass AS above, oid::regclass AS part, pg_get_expr(relpartbound, oid) AS bound
		FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = %s::regclass LOOP
		BEGIN
			EXECUTE format('ALTER TABLE %%s DETACH PARTITION %%s', r.above, r.part);
			EXECUTE format('ALTER TABLE %%s ATTACH PARTITION %%s %%s', r.above, r.part, r.bound);
		EXCEPTION WHEN foreign_key_violation THEN NULL;
		END;
	END LOOP; END $$`
)

// insert returns the statement that inserts rows.
func (t *table) insert(rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	var names, all []string
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	for _, r := range rows {
		var values []string
		for _, c := range t.columns {
			values = append(values, literal(r[c.name], c.kind))
		}
		all = append(all, "("+strings.Join(values, ", ")+")")
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES\n\t%s;\n", t.ref(), quote.Idents(names), strings.Join(all, ",\n\t"))
}

// query returns the query that reads the table in the format of database.lines.
func (t *table) query() string {
	var values []string
	for _, c := range t.columns {
		read := quote.Ident(c.name) + "::text"
		if c.read != "" {
			read = c.read
		}
		values = append(values, "coalesce("+read+", '~')")
	}
	return fmt.Sprintf("SELECT %s || concat_ws(' | ', %s) FROM %s",
		quote.Literal(t.name+": "), strings.Join(values, ", "), t.ref())
}

// tableSet has the tables of one policy.
type tableSet struct {
	style func(string) string // returns the name of a column of item
	item  *table              // the policy's table
	owner *table              // joins read it
	sign  *table              // guards read it
	child *table              // refers to item
	leaf  *table              // refers to child
	limit *table              // up_to queries read it
	sums  *table              // target of insert with key
	old   *table              // target of archive by columns
	kept  map[string]string   // column names of old, by the column name of item
	attic *table              // target of archive with document
	steps *table              // has the watermarks
}

func (f *tableSet) tables() []*table {
	return []*table{f.item, f.owner, f.sign, f.child, f.leaf, f.limit, f.sums, f.old, f.attic, f.steps}
}

// dice makes random choices.
type dice struct{ *rand.Rand }

func (d dice) oneIn(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// randomTableSet returns random tables. prefix makes their names unique in the database.
func randomTableSet(d dice, prefix string, clock kind) *tableSet {
	style := pick(d, plainStyle, plainStyle, mixedStyle, keywordStyle)
	name := func(s string) string { return prefix + "_" + s }
	if d.oneIn(3) {
		name = func(s string) string { return strings.ToUpper(prefix) + " " + s }
	}
	f := &tableSet{style: style}
	f.item = &table{name: name("item"), unique: d.oneIn(5)}
	f.item.columns, f.item.key = randomKey(d, style)
	if clock == "" {
		clock = timestamptz
	}
	f.item.columns = append(f.item.columns,
		column{name: style("made"), kind: clock, notNull: d.oneIn(3)},
		column{name: style("kind"), kind: textual, notNull: d.oneIn(3)},
		column{name: style("n"), kind: integer},
		column{name: style("flag"), kind: boolean},
		column{name: style("done"), kind: boolean, notNull: d.oneIn(2)},
		column{name: style("owner"), kind: integer},
		column{name: style("seq"), kind: bigint, notNull: true},
		column{name: style("seen"), kind: timestamptz},
	)
	columns := f.item.columns
	d.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	switch first := f.item.column(f.item.key[0]); {
	case d.oneIn(6):
		f.item.partition = "HASH"
	case d.oneIn(6) && (first.kind == integer || first.kind == bigint):
		f.item.partition = []string{"RANGE", "LIST"}[d.IntN(2)]
	}
	f.item.columnDropped = d.oneIn(3)
	id := column{name: "id", kind: integer}
	f.owner = &table{name: name("owner"), key: []string{"id"}, columns: []column{
		id,
		{name: "days", kind: integer},
		{name: "top", kind: integer},
		{name: "open", kind: boolean},
		{name: "kind", kind: textual},
	}}
	back := references(f.item)
	f.sign = &table{name: name("sign"), key: []string{"id"}, columns: append([]column{
		id,
		{name: "open", kind: boolean},
		{name: "n", kind: integer},
		{name: "kind", kind: textual},
	}, back...)}
	f.child = &table{name: name("child"), key: []string{"id"}, columns: append([]column{
		id,
		{name: "n", kind: integer},
		{name: "note", kind: textual},
	}, back...)}
	if d.oneIn(3) {
		f.child.key = []string{"id", "part"}
		f.child.columns = append(f.child.columns, column{name: "part", kind: textual})
	}
	f.leaf = &table{name: name("leaf"), key: []string{"id"}}
	f.leaf.columns = append([]column{id, {name: "n", kind: integer}}, references(f.child)...)
	f.limit = &table{name: name("limit"), key: []string{"id"}, columns: []column{
		id,
		{name: "up", kind: clock},
		{name: "seq", kind: bigint},
	}}
	f.sums = &table{name: name("sums"), key: []string{"kind"}, columns: []column{
		{name: "kind", kind: textual},
		{name: "n", kind: bigint},
		{name: "total", kind: bigint},
		{name: "best", kind: integer},
		{name: "worst", kind: integer},
		{name: "last", kind: bigint},
	}}
	f.old = &table{name: name("old"), columns: []column{{name: "archived", kind: timestamptz}}}
	f.kept = map[string]string{}
	renames := d.oneIn(3)
	for i, c := range f.item.columns {
		if f.kept[c.name] = c.name; renames && d.oneIn(2) {
			f.kept[c.name] = fmt.Sprintf("Kept %d", i)
		}
	}
	if renames { // one column gets the name of another
		a, b := pick(d, f.item.columns...).name, pick(d, f.item.columns...).name
		f.kept[a], f.kept[b] = f.kept[b], f.kept[a]
	}
	for _, c := range f.item.columns {
		f.old.columns = append(f.old.columns, column{name: f.kept[c.name], kind: c.kind})
	}
	for _, name := range f.item.key {
		f.old.key = append(f.old.key, f.kept[name])
	}
	readBody := "CASE what WHEN 'child' THEN " + keysInJSON(f.child) + " ELSE " + keysInJSON(f.item) + " END"
	f.attic = &table{name: name("attic"), columns: []column{
		{name: "what", kind: textual},
		{name: "at", kind: timestamptz},
		{name: "body", kind: textual, typ: "jsonb", read: readBody},
	}}
	f.steps = &table{name: name("steps"), key: []string{"kind"}, columns: []column{
		{name: "kind", kind: textual},
		{name: "seq", kind: bigint},
	}}
	return f
}

func plainStyle(s string) string {
	switch s {
	case "made", "seen":
		return s + "_at"
	}
	return s
}

func mixedStyle(s string) string { return strings.ToUpper(s[:1]) + s[1:] + " x" }

func keywordStyle(s string) string {
	return map[string]string{
		"id":    "user",
		"b":     "group",
		"made":  "timestamp",
		"kind":  "table",
		"n":     "order",
		"flag":  "select",
		"done":  "check",
		"owner": "references",
		"seq":   "limit",
		"seen":  "Where",
	}[s]
}

func randomKey(d dice, style func(string) string) ([]column, []string) {
	id, b := style("id"), style("b")
	firstKind := pick(d, integer, integer, bigint, textual, uuid, numeric, smallint, float, varchar, bytea, date)
	first := column{name: id, kind: firstKind, notNull: true}
	if d.oneIn(4) {
		second := column{name: b, kind: pick(d, integer, textual, bigint), notNull: true}
		return []column{first, second}, pick(d, []string{id, b}, []string{b, id})
	}
	return []column{first}, []string{id}
}

// references returns columns that hold the key of a row of to.
func references(to *table) []column {
	var columns []column
	for i, name := range to.key {
		columns = append(columns, column{name: fmt.Sprint("of", i), kind: to.column(name).kind})
	}
	return columns
}

// refersTo returns the condition that the row with the given alias refers to the policy's row.
func refersTo(alias string, to *table) expr {
	var all []expr
	for i, name := range to.key {
		all = append(all, cond{"=", col{alias, fmt.Sprint("of", i)}, col{"t", name}})
	}
	return conj(all)
}

// tie adds a foreign key from t to table to.
func (t *table) tie(to *table, action string) {
	var columns []string
	for i := range to.key {
		columns = append(columns, fmt.Sprint("of", i))
	}
	t.foreign = append(t.foreign, foreignKey{columns, to, action})
}

// keysInJSON returns the SQL expression that reads the key of a row from its archived document.
func keysInJSON(t *table) string {
	var parts []string
	for _, name := range t.key {
		parts = append(parts, "(body ->> "+quote.Literal(name)+")")
	}
	return strings.Join(parts, " || '/' || ")
}
