package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// scalarJoin is a join that is read as a sub-select in the place of each of its columns: where no
// FROM clause has it, and so that a second row is PostgreSQL's own error.
type scalarJoin struct {
	name   string
	source sqlText // the table, or the query in parentheses
	where  sqlText // "" for none
}

// named says whether a table goes by a name in its FROM clause.
func named(tables []pgparse.TableRef, name string) bool {
	return slices.ContainsFunc(tables, func(t pgparse.TableRef) bool {
		return t.Alias == name || t.Alias == "" && t.Name == name
	})
}

// namesBatch says whether SQL reads the relation "batch".
func namesBatch(tables []pgparse.TableRef) bool {
	return slices.ContainsFunc(tables, func(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" })
}

// batchEdits puts the batch's rows in the place of the relation "batch".
func (b *binder) batchEdits(expr bound) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, t := range expr.parsed.Tables {
		if t.Schema != "" || t.Name != "batch" {
			continue
		}
		if b.batch == "" {
			b.refuse(expr.source.At(t.Offset), codeExpression, "\"batch\" cannot be read here", "Only steps know the batch's rows.")
			continue
		}
		text := string(b.batch)
		if t.Alias == "" {
			text += " batch"
		}
		edits = append(edits, pgparse.Edit{Offset: t.Offset, Length: nameLength(expr.source.SQL[t.Offset:]), Text: text})
	}
	return edits
}

// insteadEdits puts what tables are to be read as in their places.
func (b *binder) insteadEdits(expr bound) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, t := range expr.parsed.Tables {
		if b.instead == nil || !plainRead(expr.parsed, t) {
			continue
		}
		text, sql := b.instead(t), expr.source.SQL[t.Offset:]
		if text == "" {
			continue
		}
		if t.Alias == "" {
			text += sqlText(" " + quote.Ident(t.Name))
		}
		length := nameLength(sql)
		if t.Schema != "" {
			length = qualifiedLength(sql)
		}
		edits = append(edits, pgparse.Edit{Offset: t.Offset, Length: length, Text: string(text)})
	}
	return edits
}

// schemaEdits give a table its schema that is named without one: a table of its name that comes later, in a schema before,
// is another one.
func (b *binder) schemaEdits(parsed *pgparse.Expr) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, t := range parsed.Tables {
		if t.Schema != "" || b.schema == nil || t.Name == "batch" || b.content != "" && isPartition(t) || b.instead != nil && b.instead(t) != "" && plainRead(parsed, t) {
			continue
		}
		if schema := b.schema(t); schema != "" {
			edits = append(edits, pgparse.Edit{Offset: t.Offset, Text: quote.Ident(schema) + "."})
		}
	}
	return edits
}

// plainRead says whether a table in a FROM clause could as well be a sub-select.
func plainRead(e *pgparse.Expr, t pgparse.TableRef) bool {
	before := strings.ToLower(strings.TrimRight(e.SQL[:t.Offset], " \t\n"))
	return !strings.HasSuffix(before, "only") && !slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 0 && slices.Contains(systemColumns, ref.Fields[len(ref.Fields)-1]) || len(ref.Fields) > 2
	})
}

// runEdit ties run.id and run.reason to the input of the batch.
func (b *binder) runEdit(e policy.Expr, ref pgparse.ColumnRef) (pgparse.Edit, bool) {
	names := map[string]string{"id": "($1).run_id", "reason": "($1).reason"}
	if b.blank {
		names = map[string]string{"id": "NULL::bigint", "reason": "NULL::text"}
	}
	text, ok := names[ref.Fields[1]]
	if !ok {
		b.refuse(e.At(ref.Offset), codeExpression, fmt.Sprintf("a run has no %q", ref.Fields[1]), "There are run.id and run.reason.")
		return pgparse.Edit{}, false
	}
	return pgparse.Edit{Offset: ref.Offset, Length: qualifiedLength(e.SQL[ref.Offset:]), Text: text}, true
}

// checkAlias refuses a column that a joined or related table does not have.
func (b *binder) checkAlias(e policy.Expr, ref pgparse.ColumnRef) {
	table, name := b.aliases[ref.Fields[0]], ref.Fields[1]
	if table != nil && table.Column(name) == nil && !slices.Contains(systemColumns, name) {
		b.refuse(e.At(ref.Offset), codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(table), name), didYouMean(name, columnNames(table)))
	}
}

// systemColumns are those that every table has.
// https://www.postgresql.org/docs/current/ddl-system-columns.html
var systemColumns = []string{"ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"}

// scalarEdit puts a sub-select in the place of a join's column.
func (b *binder) scalarEdit(e policy.Expr, ref pgparse.ColumnRef) (pgparse.Edit, bool) {
	for _, j := range slices.Backward(b.scalars) {
		if j.name != ref.Fields[0] {
			continue
		}
		text := fragment("scalar join", struct {
			Name, Column  ident
			Source, Where sqlText
		}{ident(j.name), ident(ref.Fields[1]), j.source, j.where})
		return pgparse.Edit{Offset: ref.Offset, Length: qualifiedLength(e.SQL[ref.Offset:]), Text: string(text)}, true
	}
	return pgparse.Edit{}, false
}

// asScalars makes sub-selects of joins; each may read those before it.
func (w *work) asScalars(joins []policy.Join, before []scalarJoin) []scalarJoin {
	saved := w.binder.scalars
	defer func() { w.binder.scalars = saved }()
	w.binder.scalars = slices.Clone(before)
	for _, j := range joins {
		s := scalarJoin{name: j.Name, source: w.joinSource(j)}
		if j.Where != nil {
			s.where = w.bindOf(*j.Where, j.Name)
		}
		w.binder.scalars = append(w.binder.scalars, s)
	}
	return w.binder.scalars
}

// bindOf binds a condition that also names the join it belongs to.
func (w *work) bindOf(e policy.Expr, name string) sqlText {
	saved := w.binder.scalars
	defer func() { w.binder.scalars = saved }()
	w.binder.scalars = slices.DeleteFunc(slices.Clone(saved), func(s scalarJoin) bool { return s.name == name })
	return w.bind(e)
}

// joinSource is what a join reads.
func (w *work) joinSource(j policy.Join) sqlText {
	switch {
	case j.Table != nil:
		return quotedTable(*j.Table)
	case j.OncePerRun() && w.stored:
		return fragment("stored rows", struct{ Table, Query sqlText }{
			sqlText(quote.Qualified(w.schema(), w.storedName(j))), enclosed(w.bindQuery(*j.Query))})
	case j.Query != nil:
		return enclosed(w.bindQuery(*j.Query))
	}
	return "NULL"
}

// withScalars binds while joins are read as sub-selects.
func (w *work) withScalars(bind func()) {
	saved := w.binder.scalars
	w.binder.scalars = w.scalarJoins
	bind()
	w.binder.scalars = saved
}
