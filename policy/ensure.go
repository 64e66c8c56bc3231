package policy

import (
	"fmt"

	"pgretain/internal/pgparse"
)

var ensureShape = shape{keys: []string{"type", "default"}}

// ensure reads the columns that the policy adds to its table.
func (r *reader) ensure(f field) []Column {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"ensure"`, shape{})
	var columns []Column
	for _, key := range m.order {
		f := m.fields[key]
		column := Column{Name: r.columnName(field{value: f.key}), Position: r.at(f.key)}
		c, ok := r.mapping(f, fmt.Sprintf("column %q", key), ensureShape)
		if !ok {
			continue
		}
		if typeName, ok := c.require("type"); ok {
			column.Type = r.typeName(typeName)
		}
		column.Default = r.columnDefault(c.fields["default"])
		columns = append(columns, column)
	}
	return columns
}

func (r *reader) typeName(f field) string {
	text, ok := r.text(f)
	if !ok {
		return ""
	}
	if err := pgparse.TypeName(text); err != nil {
		r.add(codeType, r.at(f.value), fmt.Sprintf("invalid column type %q", text), fmt.Sprintf("PostgreSQL's grammar says: %s.", err), "Write a type only, for example timestamptz; the default has a key of its own.")
	}
	return text
}

// columnDefault may read the clock, unlike all other expressions: it is the table's, and its
// value is taken when a row is written.
func (r *reader) columnDefault(f field) *Expr {
	if f.value == nil {
		return nil
	}
	e, ok := r.raw(f)
	if !ok {
		return nil
	}
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		r.sqlError(e, "expression", err)
		return nil
	}
	if len(parsed.Columns) > 0 || parsed.Subquery || parsed.Parameter {
		r.add(codeType, e.Position, "a default cannot name columns, queries or parameters", "", "Write a constant or a function, for example now().")
	}
	return &e
}
