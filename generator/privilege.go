package generator

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// right is what the worker may do with a table. Everybody who works on a table may read it.
type right struct {
	table    policy.Table
	access   policy.Access
	policy   string
	position diag.Position
}

// collectRights notes what a policy does with which tables.
func (w *pageWriter) collectRights() {
	locked := w.lockedBelow()
	for _, s := range w.steps() {
		if w.locksRelated(s) {
			locked = append(locked, s.Related.Table.String())
		}
	}
	for i, use := range w.policy.Uses() {
		ownRows := i == 0 && !w.policy.Partitions // whose rows are locked
		use.Access.Update = use.Access.Update || ownRows || slices.Contains(locked, use.Table.String())
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
		w.noteNames(parsed)
		for _, ref := range parsed.Tables {
			w.addRead(part.Expr, ref)
		}
	}
}

// addRead notes a table that an expression names. A bare name is looked up along the search path, once and for all: one
// that is nowhere is refused, since it would mean whatever table takes the name later.
func (w *pageWriter) addRead(e policy.Expr, ref pgparse.TableRef) {
	if table := w.lookUp(ref); table != nil {
		w.addRight(policy.Table{Schema: table.Schema, Name: table.Name, Position: e.At(ref.Offset)}, policy.Access{})
		return
	}
	name := ref.Name
	switch {
	case ref.Schema == "pg_catalog", ref.Schema == w.schema():
		return
	case ref.Schema != "":
		name = ref.Schema + "." + ref.Name
	case strings.HasPrefix(name, "pg_"), name == "batch", name == "partition" && w.policy.Partitions: // what is generated has them
		return
	}
	w.refuseTable(e.At(ref.Offset), name)
}

// lookUp finds a table that SQL names; nil when the snapshot has none.
func (c *compiler) lookUp(ref pgparse.TableRef) *catalog.Table {
	path := []string{ref.Schema}
	if ref.Schema == "" {
		path = c.file.Install.SearchPath
	}
	for _, schema := range path {
		if table := c.tables[schema+"."+ref.Name]; table != nil {
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

func (w *pageWriter) addRight(t policy.Table, access policy.Access) {
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
	roles := c.file.Install.Roles
	slices.SortFunc(c.rights, func(a, b right) int { return strings.Compare(a.table.String(), b.table.String()) })
	for _, r := range c.rights {
		if !roles.None {
			objects = append(objects, usage(r.table.Schema, roles.Worker, "schema "+r.table.Schema, AsMigrator, r.position), c.privilege(r))
		}
	}
	for _, g := range c.granted {
		objects = append(objects, usage(c.schema(), g.Text, "schema "+c.schema()+" to "+g.Text, AsOwner, g.Position))
	}
	return objects
}

// usage lets a role into a schema. The object is nobody's: several policies may need it.
func usage(schema, role, name string, as As, at diag.Position) Object {
	data := fields{"Schema": ident(schema), "Role": ident(role), "SchemaLiteral": literal(schema), "RoleLiteral": literal(role)}
	return Object{Kind: KindPrivilege, Name: name, As: as, SQL: object("usage", data), Drop: object("usage_drop", data), Position: at}
}

// privilege is what the worker may do with a table. An archive that a policy creates is not in the snapshot yet.
func (c *compiler) privilege(r right) Object {
	name, worker := r.table.String(), c.file.Install.Roles.Worker
	var sequences []sequence
	if table := c.tables[name]; table != nil && r.access.Insert {
		sequences = sequencesOf(table)
	}
	table := quotedTable(r.table)
	data := fields{
		"Comment": sqlText(comment(name)), "Schema": sqlText(c.schema()), "Access": r.access, "Table": table, "Sequences": sequences,
		"SchemaLiteral": literal(r.table.Schema), "TableLiteral": literal(table), "RoleLiteral": literal(worker), "Role": ident(worker),
	}
	return Object{Kind: KindPrivilege, Name: name, As: AsMigrator, SQL: object("privilege", data), Drop: object("privilege_drop", data),
		Policy: r.policy, Table: name, Position: r.position}
}

// sequence is one that a default reads, as SQL names it.
type sequence struct {
	Name    sqlText
	Literal literal
}

var nextValue = regexp.MustCompile(`^nextval\('((?:[^']|\'\')+)'::regclass\)$`)

// sequencesOf lists the sequences that a table's defaults read; an identity column needs no right on its own.
func sequencesOf(table *catalog.Table) []sequence {
	var names []sequence
	for _, column := range table.Columns {
		found := nextValue.FindStringSubmatch(column.Default)
		if found == nil {
			continue
		}
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
	return names
}

// grant is a line of the list in sql/functions/_close.sql.
type grant struct {
	roles     []string // owner, worker, runner, operator, viewer, application
	privilege string
	names     []string
}

var grantLine = regexp.MustCompile(`\('([a-z ]+)', '(EXECUTE|SELECT|INSERT|UPDATE|DELETE|OWNER)',\s+'([a-z_\s]+)'\)`)

// grantList is that list.
var grantList = sync.OnceValue(func() []grant {
	text, _ := sqlfiles.Runtime.ReadFile("functions/_close.sql") // embedded; a test looks that the list is found
	var list []grant
	for _, found := range grantLine.FindAllStringSubmatch(string(text), -1) {
		list = append(list, grant{strings.Fields(found[1]), found[2], strings.Fields(found[3])})
	}
	return list
})

// grantsOn are the lines of the list about an object of the runtime.
func grantsOn(name string) []grant {
	return slices.DeleteFunc(slices.Clone(grantList()), func(g grant) bool { return !slices.Contains(g.names, name) })
}

// listed is an object of the runtime with what the list says of it: the roles that may call or read it, what else the
// worker may do there, and whether it is the worker's.
func (o Object) listed(name string, roles policy.Roles) Object {
	names := roleNames(roles)
	use := map[Kind]string{KindFunction: "EXECUTE", KindProcedure: "EXECUTE", KindTable: "SELECT", KindView: "SELECT"}[o.Kind]
	for _, g := range grantsOn(name) {
		switch {
		case g.privilege == "OWNER" && o.Kind == KindFunction:
			o.As = AsWorker
		case roles.None:
		case g.privilege == use:
			for _, word := range g.roles {
				if names[word] != "" {
					o.Grants = append(o.Grants, names[word])
				}
			}
		case o.Kind == KindTable && slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, g.privilege):
			o.Writes = append(o.Writes, g.privilege)
		}
	}
	return o
}

// ForApplications says whether a function of the runtime may be granted to roles of the application by hand.
func ForApplications(name string) bool {
	return slices.ContainsFunc(grantsOn(name), func(g grant) bool { return slices.Contains(g.roles, "application") })
}
