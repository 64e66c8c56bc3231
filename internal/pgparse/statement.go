package pgparse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"pgretain/internal/lists"
)

// Write is a table that a statement changes. INSERT ... ON CONFLICT DO UPDATE sets Insert and
// Update.
type Write struct {
	Table                  TableRef
	Insert, Update, Delete bool
	Sets                   []string // columns that an UPDATE sets
}

const oneStatement = "one SELECT, INSERT, UPDATE, DELETE or MERGE"

// Statement parses exactly one SELECT, INSERT, UPDATE, DELETE or MERGE. A template may add queries
// to the statement's WITH clause, so the statement must not begin with a parenthesis. The field
// Tables contains all tables, including tables that the statement changes. Columns of the statement
// itself have depth 0. The error is an *Error.
func Statement(sql string) (*Expr, error) {
	node, tokens, err := only("", sql, "", oneStatement)
	if err != nil {
		return nil, err
	}
	var change changing
	visit(node.ProtoReflect(), func(m protoreflect.Message) { change, _ = m.Interface().(changing) })
	if change == nil && node.GetSelectStmt() == nil {
		return nil, &Error{Message: "the text is not " + oneStatement}
	}
	if tokens[0].Text == "(" {
		return nil, &Error{Message: "a statement must not begin with a parenthesis", Offset: tokens[0].Offset}
	}
	w := &walker{scope: outermost, writing: true, tokens: tokens, expr: Expr{node: node, Select: change == nil}}
	if err := w.walk(sql, node); err != nil {
		return nil, err
	}
	with := node.GetSelectStmt().GetWithClause()
	if change != nil {
		with = change.GetWithClause()
	}
	if with == nil || tokens[0].kind != query.Token_WITH {
		return &w.expr, nil // the WITH belongs only to a part of the statement
	}
	w.expr.CTEs = tokens[1].Offset
	if with.Recursive {
		w.expr.CTEs = tokens[2].Offset
	}
	for _, cte := range with.Ctes {
		w.expr.With = append(w.expr.With, cte.GetCommonTableExpr().GetCtename())
	}
	return &w.expr, nil
}

// changing is an INSERT, UPDATE, DELETE or MERGE.
type changing interface {
	ProtoReflect() protoreflect.Message
	GetRelation() *query.RangeVar
	GetWithClause() *query.WithClause
}

// change visits a statement that changes rows, and records its target. It visits WITH first,
// because the rest of the statement can use its names.
func (w *walker) change(n changing) {
	outer := w.scope
	w.depth++
	w.ctes(n.GetWithClause())
	w.expr.Writes = append(w.expr.Writes, w.write(n))
	visit(n.ProtoReflect(), w.message, "with_clause")
	w.scope = outer
}

func (w *walker) write(n changing) Write {
	write := Write{Table: w.tableRef(n.GetRelation())}
	switch n := n.(type) {
	case *query.InsertStmt:
		write.Insert = true
		write.Update = n.OnConflictClause.GetAction() == query.OnConflictAction_ONCONFLICT_UPDATE
		write.Sets = targets(n.OnConflictClause.GetTargetList())
	case *query.UpdateStmt:
		write.Update, write.Sets = true, targets(n.TargetList)
	case *query.DeleteStmt:
		write.Delete = true
	case *query.MergeStmt:
		for _, node := range n.MergeWhenClauses {
			switch node.GetMergeWhenClause().GetCommandType() {
			case query.CmdType_CMD_INSERT:
				write.Insert = true
			case query.CmdType_CMD_UPDATE:
				write.Update = true
				write.Sets = append(write.Sets, targets(node.GetMergeWhenClause().GetTargetList())...)
			case query.CmdType_CMD_DELETE:
				write.Delete = true
			}
		}
	}
	return write
}

// targets lists the columns of a SET list.
func targets(list []*query.Node) []string {
	return lists.Map(list, func(node *query.Node) string { return node.GetResTarget().GetName() })
}

// Edit replaces Length bytes at Offset by Text. Length 0 inserts.
type Edit struct {
	Offset, Length int
	Text           string
}

// Splice applies edits to a text. The offsets refer to the unchanged text, and the edits may have
// any order. Edits at the same offset keep their order. Splice panics if two edits overlap, or if
// an edit lies outside the text. Such a call is a bug.
func Splice(sql string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Offset, b.Offset) })
	var out strings.Builder
	done := 0
	for _, e := range edits {
		if e.Offset < done || e.Length < 0 || e.Offset+e.Length > len(sql) {
			panic(fmt.Sprintf("pgparse: edit at %d overlaps or lies outside", e.Offset))
		}
		out.WriteString(sql[done:e.Offset])
		out.WriteString(e.Text)
		done = e.Offset + e.Length
	}
	out.WriteString(sql[done:])
	return out.String()
}

// TextArrays returns the values of a list of expressions ARRAY['...', ...]::text[]. The error is an
// *Error if the list contains anything else.
func TextArrays(sql string) ([][]string, error) {
	node, _, err := only("SELECT ", sql, "", "text arrays")
	if err != nil {
		return nil, err
	}
	var arrays [][]string
	for _, target := range node.GetSelectStmt().GetTargetList() {
		array := target.GetResTarget().GetVal().GetTypeCast().GetArg().GetAArrayExpr()
		values := []string{}
		for _, element := range array.GetElements() {
			text, ok := element.GetAConst().GetVal().(*query.A_Const_Sval)
			if !ok {
				return nil, &Error{Message: "the text is not an array of texts"}
			}
			values = append(values, text.Sval.Sval)
		}
		if array == nil {
			return nil, &Error{Message: "the text is not an array of texts"}
		}
		arrays = append(arrays, values)
	}
	return arrays, nil
}
