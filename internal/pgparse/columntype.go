package pgparse

import (
	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// AddedType is the type of the first column that the ALTER TABLE statements of a text add, such that
// equal results are equal types. The error is an *Error.
func AddedType(sql string) (string, error) {
	tree, err := parse("", sql, "")
	if err != nil {
		return "", err
	}
	for _, raw := range tree.Stmts {
		for _, node := range raw.Stmt.GetAlterTableStmt().GetCmds() {
			if c := node.GetAlterTableCmd(); c.GetSubtype() == query.AlterTableType_AT_AddColumn {
				return typeIdentity(c.Def.GetColumnDef().TypeName), nil
			}
		}
	}
	return "", &Error{Message: "there is no ALTER TABLE ... ADD COLUMN"}
}

// TypeIdentity is the same for two spellings of one type, as far as the grammar knows: timestamptz and
// timestamp with time zone, int and integer. The error is an *Error.
func TypeIdentity(sql string) (string, error) {
	if err := TypeName(sql); err != nil {
		return "", err
	}
	tree, err := parse("SELECT NULL::", sql, "")
	if err != nil {
		return "", err
	}
	target := tree.Stmts[0].Stmt.GetSelectStmt().TargetList[0].GetResTarget()
	return typeIdentity(target.Val.GetTypeCast().TypeName), nil
}

func typeIdentity(name *query.TypeName) string {
	name = proto.CloneOf(name)
	if len(name.Names) == 2 && name.Names[0].GetString_().GetSval() == "pg_catalog" {
		name.Names = name.Names[1:]
	}
	return text(name)
}
