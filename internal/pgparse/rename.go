package pgparse

import (
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The prefixes make a statement of an expression, a type or a collation.
const (
	AsStatement  = ""
	AsExpression = "SELECT "
	AsType       = "SELECT NULL::"
	AsCollation  = "SELECT NULL COLLATE "
)

// RenameSchema replaces the name of a schema before names of tables, functions, types, operators
// and collations, also in constants that are cast to regclass or similar. Other constants, columns
// and aliases stay. The new name is put in as it is. Together, prefix and sql are one or more
// statements. The error is an *Error.
func RenameSchema(prefix, sql, from, to string) (string, error) {
	edits, err := SchemaEdits(prefix, sql, from, to)
	return Splice(sql, edits), err
}

// SchemaEdits returns the edits that RenameSchema makes. The error is an *Error.
func SchemaEdits(prefix, sql, from, to string) ([]Edit, error) {
	tree, err := parse(prefix, sql, "")
	if err != nil {
		return nil, err
	}
	columns, constants := map[int]bool{}, map[int]string{} // by offset
	visitAll(tree.ProtoReflect(), func(m protoreflect.Message) {
		switch n := m.Interface().(type) {
		case *query.ColumnRef: // alias.column; with a schema, the name has three parts
			if len(n.Fields) == 2 {
				columns[int(n.Location)-len(prefix)] = true
			}
		case *query.ResTarget: // UPDATE ... SET column.field
			if len(n.Indirection) > 0 {
				columns[int(n.Location)-len(prefix)] = true
			}
		case *query.TypeCast:
			if constant := n.Arg.GetAConst(); slices.Contains(nameTypes, lastName(n.TypeName.Names)) {
				constants[int(constant.GetLocation())-len(prefix)] = constant.GetSval().GetSval()
			}
		}
	})
	tokens, err := Tokens(sql)
	if err != nil {
		return nil, err
	}
	edits := schemaEdits(tokens, columns, from, to)
	for _, t := range tokens {
		name := constants[t.Offset]
		inside, err := Tokens(name)
		if edit := schemaEdits(inside, nil, from, to); err == nil && len(edit) > 0 {
			text := "'" + strings.ReplaceAll(Splice(name, edit), "'", "''") + "'"
			edits = append(edits, Edit{Offset: t.Offset, Length: len(t.Text), Text: text})
		}
	}
	return edits, nil
}

// nameTypes are the types whose constants are names of objects.
// https://www.postgresql.org/docs/current/datatype-oid.html
var nameTypes = strings.Fields(`regclass regcollation regconfig regdictionary regoper regoperator regproc
	regprocedure regtype`)

// schemaEdits returns the edits that rename a schema: the first part of a name with several parts,
// unless the name begins at the offset of a column.
func schemaEdits(tokens []Token, columns map[int]bool, from, to string) (edits []Edit) {
	tokens = slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool { return t.Comment })
	for i, t := range tokens[:max(len(tokens)-1, 0)] {
		if t.name() == from && tokens[i+1].Text == "." && !columns[t.Offset] &&
			(i == 0 || tokens[i-1].Text != ".") {
			edits = append(edits, Edit{Offset: t.Offset, Length: len(t.Text), Text: to})
		}
	}
	return edits
}
