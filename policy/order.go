package policy

import (
	"unicode/utf8"

	"pgretain/internal/pgparse"
)

// order reads the rank's ORDER BY list.
func (r *reader) order(rank *Rank, f field, s scope) {
	if _, ok := r.text(f); !ok {
		return
	}
	whole, ok := r.raw(f)
	if !ok {
		return
	}
	items, parsed, err := pgparse.Order(whole.SQL)
	if err != nil {
		r.sqlError(whole, "order", err)
		return
	}
	rank.OrderText = whole
	r.names(whole, parsed, s)
	for _, item := range items {
		rank.Order = append(rank.Order, OrderItem{
			Expr: whole.slice(item), Descending: item.Descending, NullsFirst: item.NullsFirst,
		})
	}
}

// slice is the expression of one item; it has a place of its own where the whole has one for
// every character.
func (e Expr) slice(item pgparse.OrderItem) Expr {
	part := Expr{SQL: item.SQL, Position: e.Position}
	if e.exact() {
		part.Position.Column += utf8.RuneCountInString(e.SQL[:item.Offset])
		part.Position.Width = utf8.RuneCountInString(item.SQL)
	}
	return part
}
