package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Parameter is a parameter of a routine, or a column of RETURNS TABLE.
type Parameter struct {
	Mode    string // IN, OUT, INOUT, VARIADIC or TABLE
	Name    string
	Type    string // the same for all spellings
	Default string // as written, "" for none
	Meaning string // the same for a default as it was written and as pg_get_expr() prints it
}

// String writes a parameter as CREATE FUNCTION takes it.
func (p Parameter) String() string {
	var words []string
	if p.Mode != "IN" {
		words = []string{p.Mode}
	}
	if p.Name != "" {
		words = append(words, p.Name)
	}
	words = append(words, p.Type)
	if p.Default != "" {
		words = append(words, "DEFAULT", p.Default)
	}
	return strings.Join(words, " ")
}

// SameAs says whether two parameters have one mode, name and default, and one type if they are for output only.
func (p Parameter) SameAs(other Parameter) bool {
	same := p.Mode == other.Mode && p.Name == other.Name && p.Meaning == other.Meaning
	return same && (p.Type == other.Type || p.Mode != "OUT" && p.Mode != "TABLE")
}

var modes = map[query.FunctionParameterMode]string{
	query.FunctionParameterMode_FUNC_PARAM_OUT: "OUT", query.FunctionParameterMode_FUNC_PARAM_INOUT: "INOUT",
	query.FunctionParameterMode_FUNC_PARAM_VARIADIC: "VARIADIC", query.FunctionParameterMode_FUNC_PARAM_TABLE: "TABLE",
}

func parameter(p *query.FunctionParameter, tokens []token, sql string) Parameter {
	parameter := Parameter{Mode: modes[p.Mode], Name: p.Name, Type: typeSQL(p.ArgType)}
	if parameter.Mode == "" {
		parameter.Mode = "IN"
	}
	if p.Defexpr != nil {
		parameter.Default = defaultText(tokens, int(p.ArgType.Location), sql)
		parameter.Meaning = meaning(p.Defexpr)
	}
	return parameter
}

// spoken are the names that people know types by.
var spoken = map[string]string{"int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real", "float8": "double precision", "bool": "boolean"}

// typeSQL spells a type without what a parameter does not keep of it: length, precision, dimensions.
func typeSQL(t *query.TypeName) string {
	var parts []string
	for _, name := range t.Names {
		parts = append(parts, identifier(name.GetString_().GetSval()))
	}
	if len(parts) == 2 && parts[0] == "pg_catalog" {
		parts = parts[1:]
		if plain := t.Names[1].GetString_().GetSval(); plain != "char" && plainName.MatchString(plain) {
			parts[0] = plain // such as interval, which quote_ident() would put in quotes
		}
	}
	if name, ok := spoken[parts[0]]; ok && len(parts) == 1 {
		parts[0] = name
	}
	if len(t.ArrayBounds) > 0 {
		return strings.Join(parts, ".") + "[]"
	}
	return strings.Join(parts, ".")
}

// meaning leaves out what pg_get_expr() adds or drops: the type of constants, brackets around operators, and
// schema pg_catalog.
func meaning(expr *query.Node) string {
	value, ok := literal(expr)
	switch {
	case !ok:
		expr = proto.CloneOf(expr)
		unqualify(expr.ProtoReflect())
		return "expression " + text(expr)
	case value.Kind == NullConstant:
		return "null"
	}
	return "constant " + value.Text
}

// unqualify takes pg_catalog away from the names in m: the search path begins with it.
func unqualify(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *query.FuncCall:
		n.Funcname = withoutCatalog(n.Funcname)
	case *query.TypeName:
		n.Names = withoutCatalog(n.Names)
	case *query.A_Expr:
		n.Name = withoutCatalog(n.Name)
	}
	visit(m, unqualify)
}

func withoutCatalog(names []*query.Node) []*query.Node {
	if len(names) == 2 && names[0].GetString_().GetSval() == "pg_catalog" {
		return names[1:]
	}
	return names
}

// defaultText is what stands between the DEFAULT behind start and the comma, bracket or comment that ends the
// parameter.
func defaultText(tokens []token, start int, sql string) string {
	begin, end, depth := -1, 0, 0
	for _, t := range tokens {
		if t.start < start {
			continue
		}
		depth += t.depth()
		comment := t.kind == query.Token_SQL_COMMENT || t.kind == query.Token_C_COMMENT
		switch {
		case depth < 0 || depth == 0 && t.text == "," || begin >= 0 && comment:
			return strings.TrimSpace(sql[max(begin, 0):end])
		case begin < 0 && depth == 0 && (t.text == "=" || strings.EqualFold(t.text, "default")):
			begin, end = t.end, t.end
		case begin >= 0:
			end = t.end
		}
	}
	return ""
}
