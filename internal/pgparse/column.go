package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// AddedType is the type of the first column that the ALTER TABLE statements of a text add, such that
// equal results are equal types. The error is an *Error.
func AddedType(sql string) (string, error) {
	added := func(n *query.Node) *query.TypeName {
		for _, node := range n.GetAlterTableStmt().GetCmds() {
			if c := node.GetAlterTableCmd(); c.GetSubtype() == query.AlterTableType_AT_AddColumn {
				return c.Def.GetColumnDef().TypeName
			}
		}
		return nil
	}
	name, err := first(sql, "ALTER TABLE ... ADD COLUMN", added)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

// TypeIdentity is the same for two spellings of one type, as far as the grammar knows: timestamptz and
// timestamp with time zone, int and integer. The error is an *Error.
func TypeIdentity(sql string) (string, error) {
	name, err := typeNode(sql)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

func typeIdentity(name *query.TypeName) string {
	name = proto.CloneOf(name)
	name.Names = withoutCatalog(name.Names)
	return text(name)
}

func identifierQuoted(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
