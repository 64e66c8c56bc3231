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
	read    string // how its value is read for a comparison, where not as it is
	typ     string // the type in the database, where it is not kind
}

// foreignKey refers to the key of another table.
type foreignKey struct {
	columns []string
	to      *table
	action  string // ON DELETE
}

type table struct {
	name      string
	columns   []column
	key       []string
	unique    bool   // the key is a unique index, not the primary key
	partition string // "", HASH, RANGE or LIST, by the first column of the key
	worn      bool   // it has lost a column; of its partitions one was attached with another order, one has partitions
	foreign   []foreignKey
	above     *table // from which it inherits
}

// ref is the table's name in SQL.
func (t *table) ref() string { return "app." + quote.Ident(t.name) }

func (t *table) column(name string) column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	panic(t.name + " has no column " + name)
}

// compareKeys orders two rows by their keys.
func (t *table) compareKeys(a, b row) int {
	for _, name := range t.key {
		if n := compare(a[name], b[name]); n != 0 {
			return n
		}
	}
	return 0
}

// create is the table in SQL.
func (t *table) create() string {
	var columns, constraints []string
	for _, c := range t.columns {
		typ := string(c.kind)
		if c.typ != "" {
			typ = c.typ
		}
		column := quote.Ident(c.name) + " " + typ
		if c.notNull || slices.Contains(t.key, c.name) {
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

// made returns the statements that create a table of columns. A worn table once had one column
// more.
func (t *table) made(ref string, columns []string, by string) string {
	if !t.worn {
		return fmt.Sprintf("CREATE TABLE %s (%s)%s;\n", ref, strings.Join(columns, ", "), by)
	}
	return fmt.Sprintf("CREATE TABLE %s (gone text, %s)%s;\nALTER TABLE %[1]s DROP gone;\n", ref,
		strings.Join(columns, ", "), by)
}

// bounds are those of the partitions of a table.
var bounds = map[string][]string{
	"HASH": {"FOR VALUES WITH (MODULUS 3, REMAINDER 0)", "FOR VALUES WITH (MODULUS 3, REMAINDER 1)",
		"FOR VALUES WITH (MODULUS 3, REMAINDER 2)"},
	"RANGE": {"FOR VALUES FROM (MINVALUE) TO (7)", "FOR VALUES FROM (20) TO (MAXVALUE)", "FOR VALUES FROM (7) TO (20)"},
	"LIST":  {"FOR VALUES IN (5)", "FOR VALUES IN (6, 7)", "DEFAULT"},
}

// partitions are those of a table; of a worn one the second was attached, and has its columns in
// another order, and the last has partitions.
func (t *table) partitions(columns []string) (by, sql string) {
	if t.partition == "" {
		return "", ""
	}
	turned := slices.Clone(columns)
	slices.Reverse(turned)
	for n, bound := range bounds[t.partition] {
		part := func(suffix string) string {
			return "app." + quote.Ident(fmt.Sprintf("%s part %d%s", t.name, n, suffix))
		}
		of := fmt.Sprintf("CREATE TABLE %s PARTITION OF %s %s", part(""), t.ref(), bound)
		switch {
		case t.worn && n == 1:
			sql += t.made(part(""), turned, "") + fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s %s;\n", t.ref(),
				part(""), bound)
		case t.worn && n == 2:
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

// disturbances change where the rows of a table are, or what leads to them, and no row.
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

// insert is SQL for rows.
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

// query reads the table as database.lines has it.
func (t *table) query() string {
	var values []string
	for _, c := range t.columns {
		read := quote.Ident(c.name) + "::text"
		if c.read != "" {
			read = c.read
		}
		values = append(values, "coalesce("+read+", '~')")
	}
	return fmt.Sprintf("SELECT %s || concat_ws(' | ', %s) FROM %s", quote.Literal(t.name+": "), strings.Join(values,
		", "), t.ref())
}

// family are the tables around one policy.
type family struct {
	style func(string) string // the names of item's columns
	item  *table              // the policy's
	owner *table              // read by joins
	sign  *table              // read by guards
	child *table              // refers to item
	leaf  *table              // refers to child
	limit *table              // for up_to
	sums  *table              // for insert with key
	old   *table              // for archive
	kept  map[string]string   // what old calls the columns of item
	attic *table              // for archive with document
	steps *table              // for watermarks
}

func (f *family) tables() []*table {
	return []*table{f.item, f.owner, f.sign, f.child, f.leaf, f.limit, f.sums, f.old, f.attic, f.steps}
}

// dice is chance.
type dice struct{ *rand.Rand }

func (d dice) in(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// randomFamily makes the tables; prefix makes their names unique in the database.
func randomFamily(d dice, prefix string, clock kind) *family {
	style := pick(d, plainStyle, plainStyle, mixedStyle, keywordStyle)
	name := func(s string) string { return prefix + "_" + s }
	if d.in(3) {
		name = func(s string) string { return strings.ToUpper(prefix) + " " + s }
	}
	f := &family{style: style}
	f.item = &table{name: name("item"), unique: d.in(5)}
	f.item.columns, f.item.key = randomKey(d, style)
	if clock == "" {
		clock = timestamptz
	}
	f.item.columns = append(f.item.columns,
		column{name: style("made"), kind: clock, notNull: d.in(3)}, column{name: style("kind"), kind: textual,
			notNull: d.in(3)},
		column{name: style("n"), kind: integer}, column{name: style("flag"), kind: boolean},
		column{name: style("done"), kind: boolean, notNull: d.in(2)}, column{name: style("owner"), kind: integer},
		column{name: style("seq"), kind: bigint, notNull: true}, column{name: style("seen"), kind: timestamptz})
	d.Shuffle(len(f.item.columns), func(i, j int) {
		f.item.columns[i], f.item.columns[j] = f.item.columns[j],
			f.item.columns[i]
	})
	switch first := f.item.column(f.item.key[0]); {
	case d.in(6):
		f.item.partition = "HASH"
	case d.in(6) && (first.kind == integer || first.kind == bigint):
		f.item.partition = []string{"RANGE", "LIST"}[d.IntN(2)]
	}
	f.item.worn = d.in(3)
	id := column{name: "id", kind: integer}
	f.owner = &table{name: name("owner"), key: []string{"id"}, columns: []column{id,
		{name: "days", kind: integer}, {name: "top", kind: integer}, {name: "open", kind: boolean}, {name: "kind",
			kind: textual}}}
	back := references(f.item)
	f.sign = &table{name: name("sign"), key: []string{"id"}, columns: append([]column{id,
		{name: "open", kind: boolean}, {name: "n", kind: integer}, {name: "kind", kind: textual}}, back...)}
	f.child = &table{name: name("child"), key: []string{"id"}, columns: append([]column{id,
		{name: "n", kind: integer}, {name: "note", kind: textual}}, back...)}
	if d.in(3) {
		f.child.key, f.child.columns = []string{"id", "part"}, append(f.child.columns, column{name: "part",
			kind: textual})
	}
	f.leaf = &table{name: name("leaf"), key: []string{"id"}, columns: append([]column{id, {name: "n", kind: integer}},
		references(f.child)...)}
	f.limit = &table{name: name("limit"), key: []string{"id"}, columns: []column{id, {name: "up", kind: clock},
		{name: "seq", kind: bigint}}}
	f.sums = &table{name: name("sums"), key: []string{"kind"}, columns: []column{{name: "kind", kind: textual},
		{name: "n", kind: bigint},
		{name: "total", kind: bigint}, {name: "best", kind: integer}, {name: "worst", kind: integer}, {name: "last",
			kind: bigint}}}
	f.old = &table{name: name("old"), columns: []column{{name: "archived", kind: timestamptz}}}
	f.kept = map[string]string{}
	renames := d.in(3)
	for i, c := range f.item.columns {
		if f.kept[c.name] = c.name; renames && d.in(2) {
			f.kept[c.name] = fmt.Sprintf("Kept %d", i)
		}
	}
	if renames { // one goes by the name of another
		a, b := pick(d, f.item.columns...).name, pick(d, f.item.columns...).name
		f.kept[a], f.kept[b] = f.kept[b], f.kept[a]
	}
	for _, c := range f.item.columns {
		f.old.columns = append(f.old.columns, column{name: f.kept[c.name], kind: c.kind})
	}
	for _, name := range f.item.key {
		f.old.key = append(f.old.key, f.kept[name])
	}
	f.attic = &table{name: name("attic"), columns: []column{{name: "what", kind: textual}, {name: "at",
		kind: timestamptz},
		{name: "body", kind: textual, typ: "jsonb",
			read: "CASE what WHEN 'child' THEN " + keysInJSON(f.child) + " ELSE " + keysInJSON(f.item) + " END"}}}
	f.steps = &table{name: name("steps"), key: []string{"kind"}, columns: []column{{name: "kind", kind: textual},
		{name: "seq", kind: bigint}}}
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
	return map[string]string{"id": "user", "b": "group", "made": "timestamp", "kind": "table", "n": "order",
		"flag": "select", "done": "check",
		"owner": "references", "seq": "limit", "seen": "Where"}[s]
}

func randomKey(d dice, style func(string) string) ([]column, []string) {
	id, b := style("id"), style("b")
	first := column{name: id, kind: pick(d, integer, integer, bigint, textual, uuid, numeric, smallint, float, varchar,
		bytea,
		date), notNull: true}
	if d.in(4) {
		return []column{first, {name: b, kind: pick(d, integer, textual, bigint), notNull: true}}, pick(d,
			[]string{id, b}, []string{b, id})
	}
	return []column{first}, []string{id}
}

// references are columns that hold the key of a row of another table.
func references(to *table) []column {
	var columns []column
	for i, name := range to.key {
		columns = append(columns, column{name: fmt.Sprint("of", i), kind: to.column(name).kind})
	}
	return columns
}

// refersTo is the condition that ties a row of another table, by its alias, to the policy's.
func refersTo(alias string, to *table) expr {
	var all []expr
	for i, name := range to.key {
		all = append(all, cond{"=", col{alias, fmt.Sprint("of", i)}, col{"t", name}})
	}
	return conj(all)
}

// tie adds a foreign key.
func (t *table) tie(to *table, action string) {
	var columns []string
	for i := range to.key {
		columns = append(columns, fmt.Sprint("of", i))
	}
	t.foreign = append(t.foreign, foreignKey{columns, to, action})
}

// keysInJSON reads the key of a row out of its document.
func keysInJSON(t *table) string {
	var parts []string
	for _, name := range t.key {
		parts = append(parts, "(body ->> "+quote.Literal(name)+")")
	}
	return strings.Join(parts, " || '/' || ")
}
