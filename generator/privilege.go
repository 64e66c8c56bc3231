package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// right is what the owner of the functions may do with a table.
type right struct {
	table    policy.Table
	deletes  bool
	policy   string
	position diag.Position
}

// collectRights notes which tables a policy deletes from and which it reads.
func (w *work) collectRights() {
	w.addRight(w.policy.Table, true)
	for _, step := range w.policy.Then {
		if step.Delete != nil && step.Related != nil {
			w.addRight(step.Related.Table, true)
		}
		if step.Delete != nil {
			for _, t := range step.Delete.Cascades {
				w.addRight(t, false)
			}
		}
	}
	for _, j := range w.policy.Joins {
		if j.Table != nil {
			w.addRight(*j.Table, false)
		}
	}
	for _, part := range w.policy.Parts() {
		parse := pgparse.Expression
		if part.Kind == policy.IsQuery {
			parse = pgparse.Query
		}
		parsed, err := parse(part.Expr.SQL)
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
	path := []string{ref.Schema}
	if ref.Schema == "" {
		path = w.file.Install.SearchPath
	}
	for _, schema := range path {
		if w.snapshot.Table(schema+"."+ref.Name) != nil {
			w.addRight(policy.Table{Schema: schema, Name: ref.Name, Position: e.At(ref.Offset)}, false)
			return
		}
	}
	if ref.Schema != "" && ref.Schema != "pg_catalog" && ref.Schema != w.schema() {
		w.refuse(e.At(ref.Offset), codeNoTable, fmt.Sprintf("table %q is not in the catalog snapshot", ref.Schema+"."+ref.Name),
			orHint(didYouMean(ref.Schema+"."+ref.Name, tableNames(w.snapshot)), `Run "pgretain snapshot" after the table was created.`))
	}
}

func (w *work) addRight(t policy.Table, deletes bool) {
	for i := range w.rights {
		if w.rights[i].table.String() == t.String() {
			w.rights[i].deletes = w.rights[i].deletes || deletes
			return
		}
	}
	w.rights = append(w.rights, right{t, deletes, w.policy.Name, w.policy.Position})
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
		Deletes     bool
		TableSchema ident
		Table       sqlText
		Owner       sqlText
	}{comment(tableName(table)), r.deletes, ident(table.Schema), qualified(table), sqlText(quote.Ident(c.file.Install.Roles.Owner))}
	return Object{Kind: KindPrivilege, Name: tableName(table), As: AsMigrator,
		SQL: object("privilege", data), Drop: object("privilege_drop", data),
		Policy: r.policy, Table: tableName(table), Position: r.position}
}
