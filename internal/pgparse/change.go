package pgparse

import (
	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// changing is an INSERT, UPDATE, DELETE or MERGE.
type changing interface {
	ProtoReflect() protoreflect.Message
	GetRelation() *query.RangeVar
	GetWithClause() *query.WithClause
}

// change visits a statement that changes rows, and notes its target. WITH comes first, as the rest
// sees its names.
func (w *walker) change(n changing) {
	outer := w.with
	w.depth++
	w.ctes(n.GetWithClause())
	w.writes = append(w.writes, w.write(n))
	m := n.ProtoReflect()
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if field := fields.Get(i); field.Name() != "with_clause" {
			w.child(m, field)
		}
	}
	w.depth--
	w.with = outer
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
			command := node.GetMergeWhenClause().GetCommandType()
			if command == query.CmdType_CMD_UPDATE {
				write.Sets = append(write.Sets, targets(node.GetMergeWhenClause().GetTargetList())...)
			}
			write.Insert = write.Insert || command == query.CmdType_CMD_INSERT
			write.Update = write.Update || command == query.CmdType_CMD_UPDATE
			write.Delete = write.Delete || command == query.CmdType_CMD_DELETE
		}
	}
	return write
}

// targets are the columns that a SET list names.
func targets(list []*query.Node) []string {
	var names []string
	for _, node := range list {
		names = append(names, node.GetResTarget().GetName())
	}
	return names
}
