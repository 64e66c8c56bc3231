package pgparse

import (
	"slices"
	"strconv"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"

	"pgretain/internal/lists"
)

// catalogNames maps pg_type.typname of built-in types to the name that format_type prints.
var catalogNames = map[string]string{
	"bool":        "boolean",
	"int2":        "smallint",
	"int4":        "integer",
	"int8":        "bigint",
	"float4":      "real",
	"float8":      "double precision",
	"numeric":     "numeric",
	"text":        "text",
	"varchar":     "character varying",
	"bpchar":      "bpchar",
	"uuid":        "uuid",
	"bytea":       "bytea",
	"json":        "json",
	"jsonb":       "jsonb",
	"date":        "date",
	"interval":    "interval",
	"timestamp":   "timestamp without time zone",
	"timestamptz": "timestamp with time zone",
	"time":        "time without time zone",
	"timetz":      "time with time zone",
}

// FormatType returns the name of a type as the server's format_type prints it, for example
// "timestamp(3) with time zone" for timestamptz(3). A type that is not built in keeps its spelling.
// The error is an *Error.
func FormatType(sql string) (string, error) {
	name, err := typeNode(sql)
	if err != nil {
		return "", err
	}
	if typ := formatType(name); typ != "" {
		return typ, nil
	}
	return strings.ToLower(strings.Join(strings.Fields(sql), " ")), nil
}

// formatType returns "" for a type that is not in catalogNames, and for an interval with fields.
func formatType(name *query.TypeName) string {
	typ := catalogNames[strings.TrimPrefix(dotted(name.Names), "pg_catalog.")]
	digits := lists.Map(name.Typmods, func(m *query.Node) string {
		return strconv.Itoa(int(m.GetAConst().GetIval().GetIval()))
	})
	switch {
	case typ == "" || name.PctType || len(digits) > 0 && typ == "interval":
		return ""
	case typ == "numeric" && len(digits) == 1:
		digits = append(digits, "0")
	case typ == "bpchar" && len(digits) > 0:
		typ = "character"
	}
	if len(digits) > 0 {
		first, rest, _ := strings.Cut(typ, " ")
		if strings.HasPrefix(typ, "time") {
			typ = first + "(" + digits[0] + ") " + rest
		} else {
			typ += "(" + strings.Join(digits, ",") + ")"
		}
	}
	if len(name.ArrayBounds) > 0 {
		typ += "[]"
	}
	return typ
}

// Type returns the type of an expression as far as the grammar determines it. It knows casts to
// built-in types, columns, and coalesce, greatest, least and CASE over values of one type. For
// other expressions it returns "". The parameter "column" is a function. It gets the parts of a
// column's name and returns the type of the column, or "" for an unknown column.
func (e *Expr) Type(column func(name []string) string) string { return typeOf(e.node, column) }

func typeOf(node *query.Node, column func(name []string) string) string {
	switch n := node.GetNode().(type) {
	case *query.Node_TypeCast:
		return formatType(n.TypeCast.TypeName)
	case *query.Node_ColumnRef:
		if name := texts(n.ColumnRef.Fields); !slices.Contains(name, "") {
			return column(name)
		}
	case *query.Node_CoalesceExpr:
		return commonType(n.CoalesceExpr.Args, column)
	case *query.Node_MinMaxExpr:
		return commonType(n.MinMaxExpr.Args, column)
	case *query.Node_CaseExpr:
		results := lists.Map(n.CaseExpr.Args, func(when *query.Node) *query.Node { return when.GetCaseWhen().Result })
		if n.CaseExpr.Defresult != nil {
			results = append(results, n.CaseExpr.Defresult)
		}
		return commonType(results, column)
	}
	return ""
}

// commonType returns the type that all values have. It returns "" if the types differ or one is
// unknown. NULL fits every type.
func commonType(values []*query.Node, column func(name []string) string) (typ string) {
	for _, value := range values {
		if value.GetAConst().GetIsnull() {
			continue
		}
		own := typeOf(value, column)
		if own == "" || typ != "" && own != typ {
			return ""
		}
		typ = own
	}
	return typ
}
