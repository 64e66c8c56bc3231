package policy

import "pgretain/internal/pgparse"

// Kind of SQL that a part of the file holds.
const (
	IsExpression = "expression"
	IsQuery      = "query"
	IsStatement  = "statement"
)

// Part is a piece of SQL of a policy.
type Part struct {
	Expr Expr
	Kind string // IsExpression, IsQuery or IsStatement
}

// Parse reads the piece again; it was checked when the file was read.
func (p Part) Parse() (*pgparse.Expr, error) {
	switch p.Kind {
	case IsQuery:
		return pgparse.Query(p.Expr.SQL)
	case IsStatement:
		statement, err := pgparse.ParseStatement(p.Expr.SQL)
		if err != nil {
			return nil, err
		}
		return &statement.Expr, nil
	}
	return pgparse.Expression(p.Expr.SQL)
}

// Parts lists the query; the alert reads its columns only.
func (r *Report) Parts() []Part { return []Part{{r.Query, IsQuery}} }

// parts collects pieces of SQL.
type parts struct{ list []Part }

// Parts lists every piece of SQL that a policy holds, but the defaults of "ensure", which are the
// table's own.
func (p *Policy) Parts() []Part {
	var l parts
	l.joins(p.Joins)
	l.expr(p.Where)
	for _, entry := range p.dueEntries() {
		l.clock(entry.Clock)
		l.rank(entry.Beyond)
	}
	for _, g := range p.Keep {
		l.expr(g.Condition)
		l.rank(g.Rank)
	}
	for _, s := range p.Then {
		l.step(s)
	}
	if p.Claim != nil {
		l.window(p.Claim.TTL)
		l.assignments(p.Claim.Set)
	}
	if p.Touch != nil {
		l.assignments(p.Touch.Set)
		if p.Touch.Revive != nil {
			l.assignments(p.Touch.Revive.Set)
		}
	}
	return l.list
}

func (l *parts) add(e *Expr, kind string) {
	if e != nil {
		l.list = append(l.list, Part{*e, kind})
	}
}

func (l *parts) expr(e *Expr) { l.add(e, IsExpression) }

func (l *parts) assignments(lists ...[]Assignment) {
	for _, list := range lists {
		for i := range list {
			l.expr(&list[i].Value)
		}
	}
}

func (l *parts) joins(joins []Join) {
	for _, j := range joins {
		l.add(j.Query, IsQuery)
		l.expr(j.Where)
	}
}

func (l *parts) clock(k *Clock) {
	if k == nil {
		return
	}
	l.expr(k.Expression)
	l.add(k.UpTo, IsQuery)
	if k.Watermark != nil {
		l.expr(k.Watermark.Where)
	}
	l.window(k.Window)
}

func (l *parts) window(w Window) {
	for _, t := range w.Tiers {
		l.expr(t.When)
		if t.Data != nil {
			l.expr(t.Data.Value)
		}
	}
}

func (l *parts) rank(r *Rank) {
	if r == nil {
		return
	}
	if r.Count != nil {
		l.expr(&r.Count.Value)
	}
	for i := range r.Per {
		l.expr(&r.Per[i])
	}
	for i := range r.Order {
		l.expr(&r.Order[i].Expr)
	}
	l.expr(r.Among)
}

func (l *parts) step(s Step) {
	l.expr(s.Where)
	if s.Related != nil {
		l.joins(s.Related.Joins)
		l.expr(&s.Related.Where)
	}
	switch {
	case s.Update != nil:
		l.assignments(s.Update.Set, s.Update.Undo)
	case s.Insert != nil:
		l.assignments(s.Insert.Key, s.Insert.Per, s.Insert.Add, s.Insert.Max, s.Insert.Min, s.Insert.Set)
	case s.Archive != nil:
		l.assignments(s.Archive.Set)
	case s.Emit != nil:
		l.assignments(s.Emit.Payload)
	}
	l.expr(s.DropTable)
	l.add(s.SQL, IsStatement)
}
