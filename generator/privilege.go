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

// right is what the owner of the functions may do with a table. Everybody who works on a table may
// read it.
type right struct {
	table    policy.Table
	access   policy.Access
	policy   string
	position diag.Position
}

// collectRights notes what a policy does with which tables.
func (w *work) collectRights() {
	for i, use := range w.policy.Uses() {
		if i == 0 {
			use.Access.Update = use.Access.Update || !w.policy.Partitions // row locks
		}
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
		for _, ref := range parsed.Tables {
			w.addRead(part.Expr, ref)
		}
	}
}

// addRead notes a table that an expression names. A bare name is looked up along the search path;
// one that is nowhere may be a WITH query, so that only a qualified one is refused.
func (w *work) addRead(e policy.Expr, ref pgparse.TableRef) {
	if table := w.lookUp(ref); table != nil {
		w.addRight(policy.Table{Schema: table.Schema, Name: table.Name, Position: e.At(ref.Offset)}, policy.Access{})
		return
	}
	if ref.Schema != "" && ref.Schema != "pg_catalog" && ref.Schema != w.schema() {
		w.refuse(e.At(ref.Offset), codeNoTable, fmt.Sprintf("table %q is not in the catalog snapshot", ref.Schema+"."+ref.Name),
			orHint(didYouMean(ref.Schema+"."+ref.Name, tableNames(w.snapshot)), `Run "pgretain snapshot" after the table was created.`))
	}
}

// lookUp finds a table that SQL names; nil when the snapshot has none.
func (c *compiler) lookUp(ref pgparse.TableRef) *catalog.Table {
	path := []string{ref.Schema}
	if ref.Schema == "" {
		path = c.file.Install.SearchPath
	}
	for _, schema := range path {
		if table := c.snapshot.Table(schema + "." + ref.Name); table != nil {
			return table
		}
	}
	return nil
}

func (w *work) addRight(t policy.Table, access policy.Access) {
	for i := range w.rights {
		if r := &w.rights[i]; r.table.String() == t.String() {
			r.access = policy.Access{Insert: r.access.Insert || access.Insert,
				Update: r.access.Update || access.Update, Delete: r.access.Delete || access.Delete}
			return
		}
	}
	w.rights = append(w.rights, right{t, access, w.policy.Name, w.policy.Position})
}

// privileges are the grants to the owner, one object a table; none where one role does everything.
func (c *compiler) privileges() []Object {
	if c.file.Install.Roles.None {
		return nil
	}
	slices.SortFunc(c.rights, func(a, b right) int { return strings.Compare(a.table.String(), b.table.String()) })
	var objects []Object
	for _, r := range c.rights {
		table := c.snapshot.Table(r.table.String())
		if table == nil {
			continue
		}
		objects = append(objects, c.privilege(r, table))
	}
	return objects
}

func (c *compiler) privilege(r right, table *catalog.Table) Object {
	data := struct {
		Comment     string
		Access      policy.Access
		TableSchema ident
		Table       sqlText
		Sequences   []sqlText
		Owner       sqlText

		Literal, OwnerLiteral literal // for the way back
		Tag                   string
	}{comment(tableName(table)), r.access, ident(table.Schema), qualified(table), nil,
		sqlText(quote.Ident(c.file.Install.Roles.Owner)), literal(qualified(table)), literal(c.file.Install.Roles.Owner), ""}
	if r.access.Insert {
		data.Sequences = sequencesOf(table)
	}
	data.Tag = dollarTag(fmt.Sprintf("%+v", data))
	return Object{Kind: KindPrivilege, Name: tableName(table), As: AsMigrator,
		SQL: object("privilege", data), Drop: object("privilege_drop", data),
		Policy: r.policy, Table: tableName(table), Position: r.position}
}

var nextValue = regexp.MustCompile(`^nextval\('((?:[^']|\'\')+)'::regclass\)$`)

// sequencesOf lists the sequences that a table's defaults read; an identity column needs no right
// on its own.
func sequencesOf(table *catalog.Table) []sqlText {
	var names []sqlText
	for _, column := range table.Columns {
		if found := nextValue.FindStringSubmatch(column.Default); found != nil {
			names = append(names, sqlText(strings.ReplaceAll(found[1], "''", "'")))
		}
	}
	return names
}
