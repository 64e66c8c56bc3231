// Package shards holds policies for each shard of a table that Citus distributes to what one shard can answer.
package shards

import (
	"cmp"
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var codeShard = diag.Register("P067", "what one shard cannot answer")

// checks of one policy.
type checks struct {
	policy *policy.Policy
	each   *policy.Each
	tables catalog.Graph
	own    *catalog.Distribution
	diags  diag.List
}

// Check refuses what would read or write rows that other nodes have: rows of other distributed tables count only where
// the column by which they are distributed is equal to that of the policy's row, since those lie beside it.
func Check(p *policy.Policy, e *policy.Each, tables catalog.Graph) diag.List {
	table := tables[p.Table.String()]
	if table == nil {
		return nil // refused with the rest
	}
	s := &checks{policy: p, each: e, tables: tables, own: table.Distribution}
	if s.own == nil || s.own.Kind != "hash" {
		s.refuse(p.Table.Position, fmt.Sprintf("table %q is not distributed by the hash of a column", p.Table.Name),
			`Distribute it with create_distributed_table(), and run "pgretain snapshot" again.`)
		return s.diags
	}
	for _, use := range p.Uses() {
		d := s.distribution(use.Table)
		if d != nil && d.Kind != "hash" && (use.Access.Insert || use.Access.Update || use.Access.Delete) {
			s.refuse(use.Table.Position, fmt.Sprintf("the policy changes table %q, which all nodes have", use.Table.Name), "")
		}
	}
	for _, part := range p.Parts() {
		if part.Kind == policy.IsStatement {
			s.refuse(part.Expr.Position, "a statement of its own words could reach rows of other nodes", "Write it as steps.")
			continue
		}
		s.part(part, nil)
	}
	for _, join := range p.Joins {
		s.join(join)
	}
	for _, entry := range p.DueEntries() {
		if entry.Clock != nil && (entry.Clock.UpTo != nil || entry.Clock.Watermark != nil) {
			s.refuse(entry.Clock.Position, "a position would be one for each shard", "Use an age.")
		}
		s.rank(entry.Beyond)
	}
	for _, guard := range p.Keep {
		s.rank(guard.Rank)
	}
	for _, step := range p.Then {
		s.step(step)
	}
	return s.diags.Unique()
}

func (s *checks) refuse(at diag.Position, message, hint string) {
	s.diags.Add(diag.Diagnostic{Position: at, Code: codeShard, Message: message,
		Hint: cmp.Or(hint, fmt.Sprintf("Each shard of %q is worked off by itself, on the node where it is.", s.policy.Table.Name))})
}

// distribution is that of a table, which must be beside the policy's or on all nodes.
func (s *checks) distribution(t policy.Table) *catalog.Distribution {
	table := s.tables[t.String()]
	switch {
	case t.Schema != s.each.Name:
		s.refuse(t.Position, fmt.Sprintf("table %q is not in %q", t, s.each.Name), "Name tables with the word that stands for shards.")
	case table == nil: // refused where it is looked up
	case table.Distribution == nil || table.Distribution.Kind != "reference" && (table.Distribution.Kind != "hash" || table.Distribution.With != s.own.With):
		s.refuse(t.Position, fmt.Sprintf("table %q is neither colocated with %q nor a reference table", t.Name, s.policy.Table.Name), "")
	default:
		return table.Distribution
	}
	return nil
}

// part holds a piece of SQL to rows that lie beside the policy's. Named are tables that it knows without naming them.
func (s *checks) part(part policy.Part, named []pgparse.TableRef) {
	parsed := part.Parsed()
	for i, beside := range parsed.EqualTo("t."+s.own.Column, named...) {
		tables := parsed.Levels[i].Tables
		if parsed.Levels[i].Inside < 0 {
			tables = slices.Concat(tables, named)
		}
		for _, ref := range tables {
			s.table(part, ref, beside)
		}
	}
}

// table holds one table of a piece of SQL to be beside the policy's rows, or on all nodes.
func (s *checks) table(part policy.Part, ref pgparse.TableRef, beside map[string]bool) {
	at := part.Expr.At(ref.Offset)
	if ref.Schema == "" && (s.policy.Generated(ref) || !slices.ContainsFunc(part.Tables(), func(t policy.Table) bool { return t.Schema == "" && t.Name == ref.Name })) {
		return // a name of its own WITH
	}
	d := s.distribution(policy.Table{Schema: ref.Schema, Name: ref.Name, Position: at})
	if d != nil && d.Kind == "hash" && !beside[ref.Called()+"."+d.Column] {
		s.refuse(at, fmt.Sprintf("rows of %q may lie on other nodes than the row that is judged", ref.Name),
			fmt.Sprintf("Let the query say %s.%s = t.%s, outside of OR and of outer joins.", ref.Called(), d.Column, s.own.Column))
	}
}

// join holds the condition of a join with a table to rows that lie beside the policy's.
func (s *checks) join(j policy.Join) {
	if j.Table != nil && j.Where != nil {
		s.part(policy.Part{Expr: *j.Where, Kind: policy.IsExpression},
			[]pgparse.TableRef{{Schema: j.Table.Schema, Name: j.Table.Name, Alias: j.Name}})
	}
}

// rank refuses one whose groups have rows on several nodes.
func (s *checks) rank(r *policy.Rank) {
	if r != nil && !slices.ContainsFunc(r.Per, func(e policy.Expr) bool { return s.key(e.SQL) }) {
		s.refuse(r.Position, "the rows of a group lie on several nodes", fmt.Sprintf("Rank per t.%s.", s.own.Column))
	}
}

// key says whether an expression is the column by which the policy's rows are distributed.
func (s *checks) key(sql string) bool {
	return pgparse.CastColumn(sql) == pgparse.Operand{Column: s.own.Column}
}

// step refuses one that writes rows which belong to other nodes.
func (s *checks) step(step policy.Step) {
	from := s.own.Column
	if r := step.Related; r != nil {
		s.part(policy.Part{Expr: r.Where, Kind: policy.IsExpression}, []pgparse.TableRef{{Schema: r.Table.Schema, Name: r.Table.Name, Alias: r.As}})
		for _, j := range r.Joins {
			s.join(j)
		}
		if table := s.tables[r.Table.String()]; table != nil && table.Distribution != nil {
			from = table.Distribution.Column
		}
	}
	switch {
	case step.Update != nil:
		if i := slices.IndexFunc(step.Update.Set, func(a policy.Assignment) bool { return a.Column == from }); i >= 0 {
			s.refuse(step.Update.Set[i].Position, fmt.Sprintf("rows are distributed by %q", from), "A row cannot change its shard.")
		}
	case step.Archive != nil:
		a := step.Archive
		d := s.distribution(a.Into)
		set := d != nil && slices.ContainsFunc(a.Set, func(set policy.Assignment) bool { return set.Column == d.Column })
		if d != nil && (set || a.Document != "" || a.NameOf(from) != d.Column) {
			s.refuse(a.Into.Position, fmt.Sprintf("table %q is distributed by %q, which is not %q of the row", a.Into.Name, d.Column, from), "")
		}
	case step.Insert != nil:
		in := step.Insert
		d := s.distribution(in.Into)
		if d != nil && !slices.ContainsFunc(slices.Concat(in.Key, in.Per, in.Set), func(a policy.Assignment) bool { return a.Column == d.Column && s.key(a.Value.SQL) }) {
			s.refuse(in.Into.Position, fmt.Sprintf("table %q is distributed by %q, which is not t.%s", in.Into.Name, d.Column, s.own.Column), "")
		}
	}
}
