package pgparse

import (
	"cmp"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// walker collects what an expression names. Fields are visited in the order of their numbers, and
// the result is sorted by offset, so that it never depends on the order of a map.
type walker struct {
	expr    Expr
	base    int      // length of what stands before the user's text
	depth   int      // of sub-selects
	with    []string // names that WITH makes visible here: no tables
	writing bool     // statements that change rows are allowed
	writes  []Write
	err     *Error
}

func references(node *query.Node, base int) (*walker, *Error) {
	w := &walker{base: base}
	w.expr.TimeFunctionOffset = -1
	w.message(node.ProtoReflect())
	return w.sorted()
}

func queryReferences(stmt *query.SelectStmt) (*walker, *Error) {
	w := &walker{depth: -1}
	w.expr.TimeFunctionOffset = -1
	w.message(stmt.ProtoReflect())
	return w.sorted()
}

func (w *walker) sorted() (*walker, *Error) {
	if w.err != nil {
		return nil, w.err
	}
	slices.SortStableFunc(w.expr.Columns, func(a, b ColumnRef) int { return cmp.Compare(a.Offset, b.Offset) })
	slices.SortStableFunc(w.expr.Tables, func(a, b TableRef) int { return cmp.Compare(a.Offset, b.Offset) })
	w.expr.TimeFunctionOffset = max(w.expr.TimeFunctionOffset, 0)
	return w, nil
}

func (w *walker) refuse(message string, location int32) {
	if w.err == nil {
		w.err = &Error{Message: message, Offset: w.offset(location)}
	}
}

func (w *walker) offset(location int32) int { return max(int(location)-w.base, 0) }

func (w *walker) message(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *query.SelectStmt:
		w.selectStmt(n)
		return
	case *query.InsertStmt, *query.UpdateStmt, *query.DeleteStmt, *query.MergeStmt:
		if w.writing {
			w.change(n.(changing))
			return
		}
		w.refuse("a statement that changes rows is not allowed here", 0)
	case *query.ColumnRef:
		w.column(n)
	case *query.RangeVar:
		w.table(n)
	case *query.FuncCall:
		w.call(n)
	case *query.ParamRef:
		w.parameter(n)
	case *query.SQLValueFunction:
		w.valueFunction(n)
	case *query.TypeCast:
		w.cast(n)
	case *query.TypeName:
		w.qualified(n.Names)
	case *query.A_Expr:
		w.qualified(n.Name)
	}
	w.children(m)
}

func (w *walker) children(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		w.child(m, fields.Get(i))
	}
}

func (w *walker) child(m protoreflect.Message, field protoreflect.FieldDescriptor) {
	if field.Kind() != protoreflect.MessageKind || !m.Has(field) {
		return
	}
	if !field.IsList() {
		w.message(m.Get(field).Message())
		return
	}
	list := m.Get(field).List()
	for i := range list.Len() {
		w.message(list.Get(i).Message())
	}
}

func (w *walker) selectStmt(n *query.SelectStmt) {
	if n.IntoClause != nil {
		w.refuse("SELECT INTO is not allowed here", n.IntoClause.GetRel().GetLocation())
	}
	if len(n.LockingClause) > 0 {
		w.refuse("a locking clause (FOR UPDATE and the like) is not allowed here", 0)
	}
	outer := w.with
	w.depth++
	w.expr.Subquery = w.expr.Subquery || w.depth > 0
	w.ctes(n.GetWithClause())
	w.rest(n)
	w.depth--
	w.with = outer
}

// ctes visits what WITH names, and makes the names visible.
func (w *walker) ctes(clause *query.WithClause) {
	visible := slices.Clone(w.with)
	for _, node := range clause.GetCtes() {
		cte := node.GetCommonTableExpr()
		if clause.Recursive {
			w.with = append(slices.Clone(visible), cte.Ctename)
		}
		w.message(cte.ProtoReflect())
		visible = append(visible, cte.Ctename)
		w.with = visible
	}
}

// rest visits everything of a SELECT but its WITH. Both sides of a UNION have its depth.
func (w *walker) rest(n *query.SelectStmt) {
	clause, left, right := n.WithClause, n.Larg, n.Rarg
	n.WithClause, n.Larg, n.Rarg = nil, nil, nil
	w.children(n.ProtoReflect())
	n.WithClause, n.Larg, n.Rarg = clause, left, right
	if left != nil && right != nil {
		w.depth--
		w.selectStmt(left)
		w.selectStmt(right)
		w.depth++
	}
}

func (w *walker) column(n *query.ColumnRef) {
	ref := ColumnRef{Offset: w.offset(n.Location), Depth: max(w.depth, 0)}
	for _, field := range n.Fields {
		if field.GetAStar() != nil {
			ref.Star = true
			continue
		}
		ref.Fields = append(ref.Fields, field.GetString_().GetSval())
	}
	w.expr.Columns = append(w.expr.Columns, ref)
}

func (w *walker) table(n *query.RangeVar) {
	if n.Schemaname == "" && slices.Contains(w.with, n.Relname) {
		return
	}
	w.expr.Tables = append(w.expr.Tables, w.tableRef(n))
}

func (w *walker) tableRef(n *query.RangeVar) TableRef {
	return TableRef{Schema: n.GetSchemaname(), Name: n.GetRelname(), Alias: n.GetAlias().GetAliasname(), Offset: w.offset(n.GetLocation())}
}

func (w *walker) call(n *query.FuncCall) {
	name := lastName(n.Funcname)
	w.expr.Functions = append(w.expr.Functions, name)
	call := Call{Name: n.Funcname[len(n.Funcname)-1].GetString_().GetSval(), Arguments: len(n.Args)}
	if n.AggWithinGroup {
		call.Arguments += len(n.AggOrder)
	}
	if len(n.Funcname) > 1 {
		call.Schema = n.Funcname[len(n.Funcname)-2].GetString_().GetSval()
	}
	w.expr.Calls = append(w.expr.Calls, call)
	w.qualified(n.Funcname)
	if arguments, ok := sessionFunctions[name]; ok && arguments == call.Arguments {
		w.session(name, n.Location)
	}
	if timeFunctions[name] || name == "age" && len(n.Args) == 1 {
		w.time(name, n.Location)
	}
}

// qualified notes the schema of a name.
func (w *walker) qualified(name []*query.Node) {
	if len(name) > 1 {
		w.expr.Schemas = append(w.expr.Schemas, name[len(name)-2].GetString_().GetSval())
	}
}

func (w *walker) parameter(n *query.ParamRef) {
	offset := w.offset(n.Location)
	if !w.expr.Parameter || offset < w.expr.ParameterOffset {
		w.expr.Parameter, w.expr.ParameterOffset = true, offset
	}
}

func lastName(names []*query.Node) string {
	if len(names) == 0 {
		return ""
	}
	return strings.ToLower(names[len(names)-1].GetString_().GetSval())
}

func (w *walker) time(name string, location int32) {
	offset := w.offset(location)
	if w.expr.TimeFunction == "" || offset < w.expr.TimeFunctionOffset {
		w.expr.TimeFunction, w.expr.TimeFunctionOffset = name, offset
	}
}
