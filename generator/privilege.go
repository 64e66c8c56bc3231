package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// right is what the worker may do with a table. Everybody who works on a table may
// read it.
type right struct {
	table    policy.Table
	access   policy.Access
	policy   string
	position diag.Position
}

// collectRights notes what a policy does with which tables.
func (w *work) collectRights() {
	locked := append(w.lockedTables(), w.lockedBelow()...)
	for i, use := range w.policy.Uses() {
		if i == 0 {
			use.Access.Update = use.Access.Update || !w.policy.Partitions // row locks
		}
		use.Access.Update = use.Access.Update || slices.Contains(locked, use.Table.String())
		w.addRight(use.Table, use.Access)
	}
	for _, part := range w.policy.Parts() {
		if part.Kind == policy.IsStatement {
			w.statementRights(part.Expr)
			continue
		}
		parsed, err := part.Parse()
		if err != nil {
			continue // reported where it is compiled
		}
		w.noteNames(parsed.Columns, parsed.Schemas)
		for _, ref := range parsed.Tables {
			w.addRead(part.Expr, ref)
		}
	}
}

// addRead notes a table that an expression names. A bare name is looked up along the search path, once and for all: one
// that is nowhere is refused, since it would mean whatever table takes the name later.
func (w *work) addRead(e policy.Expr, ref pgparse.TableRef) {
	if table := w.lookUp(ref); table != nil {
		w.addRight(policy.Table{Schema: table.Schema, Name: table.Name, Position: e.At(ref.Offset)}, policy.Access{})
		return
	}
	name := ref.Name
	switch {
	case ref.Schema != "":
		name = ref.Schema + "." + ref.Name
	case strings.HasPrefix(name, "pg_"), name == "batch", name == "partition" && w.policy.Partitions: // what is generated has them
		return
	}
	if ref.Schema != "pg_catalog" && ref.Schema != w.schema() {
		w.refuse(e.At(ref.Offset), codeNoTable, fmt.Sprintf("table %q is not in the catalog snapshot", name),
			orHint(didYouMean(name, tableNames(w.snapshot)), `Run "pgretain snapshot" after the table was created.`))
	}
}

// lookUp finds a table that SQL names; nil when the snapshot has none.
func (c *compiler) lookUp(ref pgparse.TableRef) *catalog.Table {
	path := []string{ref.Schema}
	if ref.Schema == "" {
		path = c.file.Install.SearchPath
	}
	for _, schema := range path {
		if table := c.tableNamed(schema + "." + ref.Name); table != nil {
			return table
		}
	}
	return nil
}

// schemaOf is the schema of a table that SQL names without one, "" where it is no table of the snapshot. What PostgreSQL
// brings along comes before all schemas.
func (c *compiler) schemaOf(ref pgparse.TableRef) string {
	if table := c.lookUp(ref); table != nil && !strings.HasPrefix(ref.Name, "pg_") {
		return table.Schema
	}
	return ""
}

func (w *work) addRight(t policy.Table, access policy.Access) {
	w.joinRight(right{t, access, w.policy.Name, w.policy.Position})
}

// joinRight adds to what the policies before need of a table.
func (c *compiler) joinRight(more right) {
	for i := range c.rights {
		if r := &c.rights[i]; r.table.Schema == more.table.Schema && r.table.Name == more.table.Name {
			r.access = policy.Access{Insert: r.access.Insert || more.access.Insert,
				Update: r.access.Update || more.access.Update, Delete: r.access.Delete || more.access.Delete}
			return
		}
	}
	c.rights = append(c.rights, more)
}

// privileges are the grants to the worker, one object a table and one a schema, and to the roles that
// call functions the way into the runtime's schema. None on tables where one role does everything.
func (c *compiler) privileges() []Object {
	var objects []Object
	slices.SortFunc(c.rights, func(a, b right) int { return strings.Compare(a.table.String(), b.table.String()) })
	for _, r := range c.rights {
		if c.file.Install.Roles.None {
			break
		}
		objects = append(objects, c.usage(r), c.privilege(r))
	}
	for _, g := range c.granted {
		objects = append(objects, usage(c.file.Install.Schema, g.Text, "schema "+c.file.Install.Schema+" to "+g.Text, AsOwner, g.Position))
	}
	return objects
}

// usage lets the worker into the schema of a table.
func (c *compiler) usage(r right) Object {
	return usage(r.table.Schema, c.file.Install.Roles.Worker, "schema "+r.table.Schema, AsMigrator, r.position)
}

// usage lets a role into a schema. The object is nobody's: several policies may need it.
func usage(schema, role, name string, as As, at diag.Position) Object {
	data := struct {
		Schema, Role               ident
		SchemaLiteral, RoleLiteral literal
	}{ident(schema), ident(role), literal(schema), literal(role)}
	return Object{Kind: KindPrivilege, Name: name, As: as, SQL: object("usage", data), Drop: object("usage_drop", data), Position: at}
}

// privilege is what the worker may do with a table. An archive that a policy creates is not in the
// snapshot yet.
func (c *compiler) privilege(r right) Object {
	table := c.tableNamed(r.table.String())
	if table == nil {
		table = &catalog.Table{Schema: r.table.Schema, Name: r.table.Name}
	}
	data := struct {
		Comment, Schema                          string
		Access                                   policy.Access
		Table                                    sqlText
		SchemaLiteral, TableLiteral, RoleLiteral literal
		Sequences                                []sequence
		Role                                     sqlText
	}{Comment: comment(tableName(table)), Schema: c.file.Install.Schema, Access: r.access,
		Table: qualified(table), SchemaLiteral: literal(table.Schema), TableLiteral: literal(qualified(table)),
		RoleLiteral: literal(c.file.Install.Roles.Worker), Role: sqlText(quote.Ident(c.file.Install.Roles.Worker))}
	if r.access.Insert {
		data.Sequences = sequencesOf(table)
	}
	return Object{Kind: KindPrivilege, Name: tableName(table), As: AsMigrator,
		SQL: object("privilege", data), Drop: object("privilege_drop", data),
		Policy: r.policy, Table: tableName(table), Position: r.position}
}

// sequence is one that a default reads, as SQL names it.
type sequence struct {
	Name    sqlText
	Literal literal
}

var nextValue = regexp.MustCompile(`^nextval\('((?:[^']|\'\')+)'::regclass\)$`)

// sequencesOf lists the sequences that a table's defaults read; an identity column needs no right
// on its own.
func sequencesOf(table *catalog.Table) []sequence {
	var names []sequence
	for _, column := range table.Columns {
		if found := nextValue.FindStringSubmatch(column.Default); found != nil {
			parts, err := pgparse.Name(strings.ReplaceAll(found[1], "''", "'"))
			if err != nil || len(parts) == 0 {
				continue // no sequence of the server's has such a name
			}
			for i := range parts {
				parts[i] = quote.Ident(parts[i])
			}
			name := strings.Join(parts, ".")
			names = append(names, sequence{sqlText(name), literal(name)})
		}
	}
	return names
}
