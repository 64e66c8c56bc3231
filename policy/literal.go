package policy

import (
	"slices"

	"pgretain/internal/pgparse"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// isNumber says whether a value is a number of YAML.
func isNumber(f field) bool { return f.value != nil && kindName(f.value) == "a number" }

// literals is a list of values that are written out.
func (r *reader) literals(f field) []Expr {
	var values []Expr
	for _, item := range r.list(f) {
		if e := r.literal(item); e != nil {
			values = append(values, *e)
		}
	}
	return values
}

// literal is a value that is written out: a number, true, false, or a text in SQL's own quotes.
func (r *reader) literal(f field) *Expr {
	e, ok := r.raw(f)
	if !ok {
		return nil
	}
	if isNull(f) {
		r.add(codeLiteral, e.Position, f.label()+" cannot be null", "NULL equals nothing.", "Write a value.")
		return nil
	}
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		r.sqlError(e, "expression", err)
		return nil
	}
	if !parsed.Literal {
		r.add(codeLiteral, e.Position, quoted(e.SQL)+" is not a literal", "A number, true, false, or a text in SQL's quotes is one.", literalHint(parsed, e.SQL))
		return nil
	}
	return &e
}

func literalHint(parsed *pgparse.Expr, sql string) string {
	if len(parsed.Columns) == 1 && len(parsed.Functions) == 0 && !parsed.Subquery {
		return "A text needs SQL's own quotes: \"'" + sql + "'\"."
	}
	return "Write the value itself."
}
