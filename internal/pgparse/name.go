package pgparse

import (
	"slices"
	"sync"
)

// maxName is what the server keeps of an identifier, in bytes (NAMEDATALEN - 1).
// https://www.postgresql.org/docs/current/sql-syntax-lexical.html
const maxName = 63

// Name reads exactly one name, qualified or not, by SQL's rules: unquoted parts are folded to
// lower case, quoted ones are kept. A part that the server would cut is refused. The error is an
// *Error.
func Name(sql string) ([]string, error) {
	if known, ok := names.Load(sql); ok {
		return slices.Clone(known.([]string)), nil
	}
	parts, err := readName(sql)
	if err == nil {
		names.Store(sql, slices.Clone(parts))
	}
	return parts, err
}

// names are what Name has read: the same columns stand in many policies.
var names sync.Map

func readName(sql string) ([]string, error) {
	notName := &Error{Message: "this is not one name"}
	node, _, err := expression(sql)
	if err != nil {
		notName.Offset = err.Offset
		return nil, notName
	}
	ref := node.GetColumnRef()
	tokens, err := scan(sql)
	if ref == nil || star(node) || err != nil || len(tokens) != 2*len(ref.Fields)-1 {
		return nil, notName
	}
	var parts []string
	for i, field := range ref.Fields {
		name := field.GetString_().GetSval()
		if t := tokens[2*i]; len(name) == maxName && t.end-t.start > len(name) && !quotedExactly(t.text, name) {
			return nil, &Error{Message: "a name is longer than 63 bytes", Offset: t.start}
		}
		parts = append(parts, name)
	}
	return parts, nil
}

// quotedExactly says whether text is name in double quotes with nothing cut off.
func quotedExactly(text, name string) bool { return text == identifierQuoted(name) }
