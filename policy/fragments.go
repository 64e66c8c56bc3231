package policy

import (
	"slices"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
)

// Kinds of an SQLFragment.
const (
	IsExpression = "expression"
	IsQuery      = "query"
	IsStatement  = "statement"
)

// SQLFragment is one piece of SQL in a policy file: an expression, a query or a statement.
type SQLFragment struct {
	Expr      Expr
	Kind      string // IsExpression, IsQuery or IsStatement
	Condition bool   // the expression must be of type boolean
}

// Parsed returns the parsed SQL. It is nil if there is no SQL.
func (e Expr) Parsed() *pgparse.Expr { return e.parsed }

// isOrder is the kind of the list of an ORDER BY. The items of the list are expressions.
const isOrder = "order"

// piece is a piece of SQL with its kind.
type piece struct{ sql, kind string }

// parsedPiece is the result of the parser for a piece of SQL. The error is a *pgparse.Error.
type parsedPiece struct {
	expr  *pgparse.Expr       // of an expression, a query or a statement
	items []pgparse.OrderItem // of an order
	err   error
}

func (p piece) parse() (parsed parsedPiece) {
	switch p.kind {
	case IsQuery:
		parsed.expr, parsed.err = pgparse.Query(p.sql)
	case IsStatement:
		parsed.expr, parsed.err = pgparse.Statement(p.sql)
	case isOrder:
		parsed.items, parsed.err = pgparse.Order(p.sql)
	default:
		parsed.expr, parsed.err = pgparse.Expression(p.sql)
	}
	return parsed
}

// Fragments lists the query of the report, if it could be read. The alert is not listed, because it
// reads only columns of the query.
func (r *Report) Fragments() []SQLFragment {
	if r.Query.SQL == "" {
		return nil
	}
	return []SQLFragment{{Expr: r.Query, Kind: IsQuery}}
}

// Fragments lists every piece of SQL of the policy except the defaults of "ensure", which belong to
// the table.
func (p *Policy) Fragments() []SQLFragment {
	var list []SQLFragment
	collect := func(e *Expr, kind string, s scope) { list = append(list, SQLFragment{*e, kind, s.condition}) }
	visitor{collect, func(diag.Position, string, scope) {}}.policy(p)
	return list
}

// visitor holds two functions that are called for the SQL of a policy. The function "sql" gets
// every piece of SQL, with the names to which the SQL may refer. The function "name" gets every
// name that later SQL may use, with the names that are defined before it.
type visitor struct {
	sql  func(e *Expr, kind string, s scope)
	name func(at diag.Position, name string, s scope)
}

const onceJoin = "a query that is read once per run"

func (v visitor) policy(p *Policy) {
	s := v.joins(p.Joins, scope{names: []string{"t"}})
	v.condition(p.Where, s)
	guards := lists.Map(p.Keep, func(g Guard) string { return g.Name })
	for _, entry := range p.DueEntries() {
		v.clock(entry.Clock, s)
		v.rank(entry.Beyond, scope{names: s.names, rank: true, guards: guards})
	}
	for i, g := range p.Keep {
		v.condition(g.Condition, s)
		v.rank(g.Rank, scope{names: s.names, rank: true, guards: guards[:i]})
	}
	s.run = true
	for _, step := range p.Then {
		v.step(step, s)
		if step.Insert != nil && step.Insert.As != "" {
			s = s.withName(step.Insert.As)
		}
	}
	if p.Claim != nil {
		rowless := scope{names: []string{}, rowless: true}
		v.window(p.Claim.TTL, rowless)
		v.assignments(rowless, p.Claim.Set)
	}
	if p.Touch != nil {
		v.assignments(scope{names: []string{"t"}}, p.Touch.Set)
		if revive := p.Touch.Revive; revive != nil {
			v.assignments(scope{names: []string{revive.As}, rowless: true}, revive.Set)
			v.condition(revive.Also, scope{names: []string{"t"}})
		}
	}
}

func (v visitor) fragment(e *Expr, kind string, s scope) {
	if e != nil && e.SQL != "" {
		v.sql(e, kind, s)
	}
}

func (v visitor) expr(e *Expr, s scope) { v.fragment(e, IsExpression, s) }

func (v visitor) condition(e *Expr, s scope) {
	s.condition = true
	v.expr(e, s)
}

func (v visitor) assignments(s scope, lists ...[]Assignment) {
	for _, list := range lists {
		for i := range list {
			v.expr(&list[i].Value, s)
		}
	}
}

// joins visits the joins; each join may read the joins before it.
func (v visitor) joins(joins []Join, s scope) scope {
	for _, j := range joins {
		v.name(j.Position, j.Name, s)
		query := s
		if j.OncePerRun() {
			query.once = onceJoin
		}
		v.fragment(j.Query, IsQuery, query)
		s = s.withName(j.Name)
		v.condition(j.Where, s)
	}
	return s
}

func (v visitor) clock(k *Clock, s scope) {
	if k == nil {
		return
	}
	v.expr(k.Expression, s)
	upTo := s
	upTo.once = `the query of "up_to"`
	v.fragment(k.UpTo, IsQuery, upTo)
	if k.Watermark != nil {
		v.condition(k.Watermark.Where, scope{names: []string{}})
	}
	v.window(k.Window, s)
}

func (v visitor) window(w Window, s scope) {
	for _, t := range w.Tiers {
		v.condition(t.When, s)
		if t.Data != nil {
			v.expr(t.Data.Value, s)
		}
	}
}

func (v visitor) rank(r *Rank, s scope) {
	if r == nil {
		return
	}
	if r.Count != nil {
		v.expr(r.Count.Value, scope{names: s.names})
	}
	for i := range r.Per {
		v.expr(&r.Per[i], s)
	}
	for i := range r.Order {
		v.expr(&r.Order[i].Expr, s)
	}
	v.condition(r.Among, s)
}

func (v visitor) step(step Step, s scope) {
	v.condition(step.Where, s)
	if related := step.Related; related != nil {
		if related.As != "" {
			v.name(related.AsPosition, related.As, s)
			s = s.withName(related.As)
		}
		s = v.joins(related.Joins, s)
		v.condition(&related.Where, s)
	}
	switch {
	case step.Update != nil:
		v.assignments(s, step.Update.Set)
		// A restore happens long after the run, so it knows only the row.
		v.assignments(scope{names: []string{"t"}}, step.Update.Undo)
	case step.Insert != nil:
		in := step.Insert
		v.assignments(s, in.Key, in.Per, in.Add, in.Max, in.Min, in.Set)
		if in.As != "" {
			v.name(in.AsPosition, in.As, s)
		}
	case step.Archive != nil:
		v.assignments(s, step.Archive.Set)
	case step.Emit != nil:
		v.assignments(s, step.Emit.Payload)
	}
	v.expr(step.DropTable, s)
	v.fragment(step.SQL, IsStatement, s)
}

// allJoins lists the joins of the row and of the steps.
func (p *Policy) allJoins() []Join {
	joins := slices.Clone(p.Joins)
	for _, s := range p.Then {
		if s.Related != nil {
			joins = append(joins, s.Related.Joins...)
		}
	}
	return joins
}

// OncePerRun lists the joins that are read at the start of a run. Joins of several steps with the
// same name and query are listed once.
func (p *Policy) OncePerRun() []Join {
	var list []Join
	for _, j := range p.allJoins() {
		same := func(other Join) bool { return other.Name == j.Name && other.Query.SQL == j.Query.SQL }
		if j.OncePerRun() && !slices.ContainsFunc(list, same) {
			list = append(list, j)
		}
	}
	return list
}

// NamedTable is a table that a policy file names. Kind and Of say which part of the file names it.
type NamedTable struct {
	Table
	Kind, Of string // "policy" or "report", and its name; "" under "protect"
	SQL      bool   // the name is in SQL; the schema is "" if the SQL has none
	Created  bool   // the policy creates the table if it does not exist
}

// NamedTables lists the tables that a file names. Tables under "protect" come first, then those of
// each policy, then those of each report. Relations of generated SQL are left out.
func (f *File) NamedTables() []NamedTable {
	list := lists.Map(f.Protect, func(t Table) NamedTable { return NamedTable{Table: t} })
	sql := func(kind, of string, p *Policy, fragments []SQLFragment) {
		for _, fragment := range fragments {
			for _, t := range fragment.Tables() {
				if !p.Generated(pgparse.TableRef{Schema: t.Schema, Name: t.Name}) {
					list = append(list, NamedTable{Table: t, Kind: kind, Of: of, SQL: true})
				}
			}
		}
	}
	for _, p := range f.Policies {
		for _, use := range p.Uses() {
			list = append(list, NamedTable{Table: use.Table, Kind: "policy", Of: p.Name, Created: use.Created})
		}
		sql("policy", p.Name, p, p.Fragments())
	}
	for _, report := range f.Reports {
		sql("report", report.Name, &Policy{}, report.Fragments())
	}
	return list
}

// Reads lists the tables that joins and expressions of a policy read. A name without a schema is
// listed once for each schema of the search path.
func (f *File) Reads(p *Policy) []Table {
	var list []Table
	for _, j := range p.allJoins() {
		if j.Table != nil {
			list = append(list, *j.Table)
		}
	}
	for _, fragment := range p.Fragments() {
		for _, t := range fragment.Tables() {
			if t.Schema != "" {
				list = append(list, t)
				continue
			}
			for _, schema := range f.Install.SearchPath {
				list = append(list, Table{Schema: schema, Name: t.Name, Position: t.Position})
			}
		}
	}
	return list
}

// Generated reports whether the table is a relation of generated SQL, such as "batch".
func (p *Policy) Generated(t pgparse.TableRef) bool {
	return t.Schema == "" && (t.Name == "batch" || t.Name == "partition" && p.Partitions)
}

// Tables lists the tables that the SQL names. The schema is "" if the SQL has none.
func (f SQLFragment) Tables() []Table {
	return lists.Map(f.Expr.parsed.Tables, func(ref pgparse.TableRef) Table {
		return Table{Schema: ref.Schema, Name: ref.Name, Position: f.Expr.At(ref.Offset)}
	})
}
