package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// dotted is a qualified name.
func dotted(names []*query.Node) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, name.GetString_().GetSval())
	}
	return strings.Join(parts, ".")
}

// visit calls f for every message directly inside m.
func visit(m protoreflect.Message, f func(protoreflect.Message)) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range value.List().Len() {
				f(value.List().Get(i).Message())
			}
		default:
			f(value.Message())
		}
		return true
	})
}

// text is the same for two parts of a tree that mean the same, wherever they were written.
func text(m proto.Message) string {
	m = proto.Clone(m)
	unplace(m.ProtoReflect())
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // only texts that are not UTF-8 cannot be encoded, and those were refused
	}
	return string(encoded)
}

// unplace forgets where in the text things stood.
func unplace(m protoreflect.Message) {
	for _, name := range []protoreflect.Name{"location", "stmt_location", "stmt_len"} {
		if field := m.Descriptor().Fields().ByName(name); field != nil {
			m.Clear(field)
		}
	}
	visit(m, unplace)
}
