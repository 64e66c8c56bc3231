package generator

import (
	"fmt"
	"regexp"
	"slices"

	"pgretain/policy"
)

// saved is one value of each row of the batch that is kept in an array, as it was judged: a column
// of t that steps read after the rows were written, or a column of a join.
type saved struct {
	Field  sqlText // of the record v_batch
	Expr   sqlText // in the judging statement
	alias  string  // t, or the join
	Column ident
	Cast   sqlText // back to the column's type, "" when the element has it
	Check  bool    // its type is not known here: it must not be an array
}

// saved lists what the judging statement keeps for the steps.
func (w *work) saved() []saved {
	var list []saved
	add := func(s saved) {
		if !slices.ContainsFunc(list, func(o saved) bool { return o.Field == s.Field }) {
			list = append(list, s)
		}
	}
	for _, s := range w.steps() {
		for _, name := range w.columnsOf(s) {
			add(w.savedColumn(name))
		}
		for _, e := range w.allExpressions(s) {
			w.joinColumns(e, func(join int, column string) { add(w.savedJoin(join, column)) })
		}
	}
	return list
}

// columnsOf lists the columns of t that a step reads from what was saved: none while the rows are
// still as they were judged.
func (w *work) columnsOf(s step) []string {
	if s.untouched {
		return nil
	}
	var names []string
	if s.Related == nil && (s.Update != nil || s.Delete != nil) {
		names = append(names, w.table.PrimaryKey...)
	}
	if w.readsRelation(s) || s.Related == nil && s.Archive != nil {
		names = append(names, columnNames(w.table)...)
	}
	alias := ""
	if s.Related != nil {
		alias = s.Related.As
	}
	for _, e := range w.allExpressions(s) {
		if parsed, ok := w.parseAny(e); ok {
			names = append(names, w.columnsRead(parsed, alias)...)
		}
	}
	return names
}

// allExpressions are those of a step, and of the headers that it reads.
func (w *work) allExpressions(s step) []policy.Expr {
	list := s.expressions()
	for _, h := range w.headersRead(s) {
		for _, a := range h.Insert.Per {
			list = append(list, a.Value)
		}
	}
	return list
}

// scalarTypes hold one plain value each. An array of others is kept as text: an array of arrays
// would have to be a rectangle, and an array of rows falls apart when it is unnested.
var scalarTypes = regexp.MustCompile(`^(bigint|integer|smallint|numeric|real|double precision|text|character varying|character|boolean|uuid|date|timestamp with(out)? time zone|time with(out)? time zone|interval|jsonb?|bytea|inet|cidr|oid|xid8|name|citext)(\(\d+(,\d+)?\))?$`)

func (w *work) savedColumn(name string) saved {
	typ := w.table.Column(name).Type
	s := saved{Field: sqlText(fmt.Sprintf("t_%d", slices.IndexFunc(w.table.Columns, columnNamed(name))+1)),
		Expr: fragment("t column", ident(name)), alias: "t", Column: ident(name)}
	if !scalarTypes.MatchString(typ) {
		s.Expr, s.Cast = fragment("as text", s.Expr), sqlText(typ)
	}
	return s
}

// savedJoin keeps a column of a join. Fields are numbered by the order of columns in the table, or
// of appearance in the policy.
func (w *work) savedJoin(join int, column string) saved {
	j := w.policy.Joins[join]
	s := saved{Field: sqlText(fmt.Sprintf("j%d_%s", join+1, Hash(column)[:6])), alias: j.Name, Column: ident(column), Check: true,
		Expr: fragment("aliased column", struct{ Alias, Column ident }{ident(j.Name), ident(column)})}
	if j.Table == nil {
		return s
	}
	s.Check = false
	if table := w.tableNamed(j.Table.String()); table != nil && table.Column(column) != nil {
		if typ := table.Column(column).Type; !scalarTypes.MatchString(typ) {
			s.Expr, s.Cast = fragment("as text", s.Expr), sqlText(typ)
		}
	}
	return s
}

// joinColumns calls found for every column of the policy's joins that an expression reads.
func (w *work) joinColumns(e policy.Expr, found func(join int, column string)) {
	parsed, ok := w.parseAny(e)
	if !ok {
		return
	}
	for _, ref := range parsed.Columns {
		if len(ref.Fields) == 0 || ref.Depth > 0 && named(parsed.Tables, ref.Fields[0]) {
			continue
		}
		i := slices.IndexFunc(w.policy.Joins, func(j policy.Join) bool { return j.Name == ref.Fields[0] })
		switch {
		case i < 0:
		case len(ref.Fields) == 2:
			found(i, ref.Fields[1])
		case ref.Star || len(ref.Fields) == 1 && w.table.Column(ref.Fields[0]) == nil:
			w.refuse(e.At(ref.Offset), codeExpression, fmt.Sprintf("a step cannot read join %q as a whole", ref.Fields[0]), "Name its columns one by one.")
		}
	}
}
