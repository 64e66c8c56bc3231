package pgparse

import (
	"slices"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Roles lists the roles that a script names and does not create itself: owners, grantees, and those of row
// security. The error is an *Error.
func Roles(sql string) ([]string, error) {
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	var named, created []string
	var look func(protoreflect.Message)
	look = func(m protoreflect.Message) {
		switch n := m.Interface().(type) {
		case *query.RoleSpec:
			if n.Roletype == query.RoleSpecType_ROLESPEC_CSTRING {
				named = append(named, n.Rolename)
			}
		case *query.CreateRoleStmt:
			created = append(created, n.Role)
		}
		visit(m, look)
	}
	look(tree.ProtoReflect())
	slices.Sort(named)
	return slices.DeleteFunc(slices.Compact(named), func(name string) bool { return slices.Contains(created, name) }), nil
}
