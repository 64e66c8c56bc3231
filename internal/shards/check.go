// Package shards checks policies for each shard of a table that Citus distributes. Such a policy
// may only use rows that are on the node of its shard.
package shards

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checks is the state of the checks of one policy.
type checks struct {
	policy *policy.Policy
	each   *policy.Each
	tables catalog.Graph
	own    *catalog.Distribution
	diags  diag.List
}

// Check returns an error for each part of a policy that could read or write rows on other nodes.
// Rows of another distributed table are on the same node if the table is colocated, and its
// distribution column equals that of the policy's row.
func Check(p *policy.Policy, e *policy.Each, tables catalog.Graph) diag.List {
	table := tables[p.Table.String()]
	if table == nil {
		return nil // the generator reports the missing table
	}
	s := &checks{policy: p, each: e, tables: tables, own: table.Distribution}
	if s.own == nil || s.own.Kind != "hash" {
		s.fail(messages.NotDistributed(p.Table.Name), p.Table.Position)
		return s.diags
	}
	for _, use := range p.Uses() {
		d := s.distribution(use.Table)
		if d != nil && d.Kind != "hash" && (use.Access.Insert || use.Access.Update || use.Access.Delete) {
			s.fail(messages.ChangesReferenceTable(use.Table.Name), use.Table.Position)
		}
	}
	for _, part := range p.Fragments() {
		if part.Kind == policy.IsStatement {
			s.fail(messages.StatementOnShards, part.Expr.Position)
			continue
		}
		s.part(part, nil)
	}
	for _, join := range p.Joins {
		s.join(join)
	}
	for _, entry := range p.DueEntries() {
		if entry.Clock != nil && (entry.Clock.UpTo != nil || entry.Clock.Watermark != nil) {
			s.fail(messages.PositionOfShard, entry.Clock.Position)
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

func (s *checks) fail(fault diag.Diagnostic, at diag.Position) {
	fault.Position = at
	s.diags.Add(fault)
}

// distribution returns how a table is distributed. It adds an error and returns nil unless the
// table is colocated with the policy's table or is a reference table.
func (s *checks) distribution(t policy.Table) *catalog.Distribution {
	table := s.tables[t.String()]
	switch {
	case t.Schema != s.each.Name:
		s.fail(messages.OutsideShardSchema(t.String(), s.each.Name), t.Position)
	case table == nil: // the generator reports the missing table
	case table.Distribution == nil || table.Distribution.Kind != "reference" &&
		(table.Distribution.Kind != "hash" || table.Distribution.With != s.own.With):
		s.fail(messages.NotColocated(t.Name, s.policy.Table.Name), t.Position)
	default:
		return table.Distribution
	}
	return nil
}

// part checks that a piece of SQL reads only rows on the same node as the policy's row. The
// parameter "named" lists tables that the SQL can use without naming them in FROM, such as the
// table of a join.
func (s *checks) part(part policy.SQLFragment, named []pgparse.TableRef) {
	parsed := part.Expr.Parsed()
	for i, colocated := range parsed.EqualTo("t."+s.own.Column, named...) {
		tables := parsed.Levels[i].Tables
		if parsed.Levels[i].Inside < 0 {
			tables = slices.Concat(tables, named)
		}
		for _, ref := range tables {
			s.table(part, ref, colocated)
		}
	}
}

// table checks one table of a piece of SQL, as the method "part" does for all tables. The parameter
// "colocated" contains the columns ("alias.column") that the SQL compares with the distribution
// column of the policy's row.
func (s *checks) table(part policy.SQLFragment, ref pgparse.TableRef, colocated map[string]bool) {
	at := part.Expr.At(ref.Offset)
	named := func(t policy.Table) bool { return t.Schema == "" && t.Name == ref.Name }
	if ref.Schema == "" && (s.policy.Generated(ref) || !slices.ContainsFunc(part.Tables(), named)) {
		return // the name of a WITH query
	}
	d := s.distribution(policy.Table{Schema: ref.Schema, Name: ref.Name, Position: at})
	if d != nil && d.Kind == "hash" && !colocated[ref.Qualifier()+"."+d.Column] {
		s.fail(messages.RowsOnOtherNodes(ref.Name, ref.Qualifier(), d.Column, s.own.Column), at)
	}
}

// join checks that the condition of a join only matches rows on the same shard as the policy's row.
func (s *checks) join(j policy.Join) {
	if j.Table != nil && j.Where != nil {
		s.part(policy.SQLFragment{Expr: *j.Where, Kind: policy.IsExpression},
			[]pgparse.TableRef{{Schema: j.Table.Schema, Name: j.Table.Name, Alias: j.Name}})
	}
}

// rank adds an error for a rank whose groups have rows on several nodes.
func (s *checks) rank(r *policy.Rank) {
	if r != nil && !slices.ContainsFunc(r.Per, s.key) {
		s.fail(messages.GroupOnSeveralNodes(s.own.Column), r.Position)
	}
}

// key reports whether an expression is the distribution column of the policy's table.
func (s *checks) key(e policy.Expr) bool {
	return e.Parsed().Operand() == pgparse.Operand{Column: s.own.Column}
}

// step adds errors for a step that would write rows on other nodes.
func (s *checks) step(step policy.Step) {
	from := s.own.Column
	if r := step.Related; r != nil {
		s.part(policy.SQLFragment{Expr: r.Where, Kind: policy.IsExpression},
			[]pgparse.TableRef{{Schema: r.Table.Schema, Name: r.Table.Name, Alias: r.As}})
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
			s.fail(messages.SetsDistributionColumn(from), step.Update.Set[i].Position)
		}
	case step.Archive != nil:
		a := step.Archive
		d := s.distribution(a.Into)
		set := d != nil && slices.ContainsFunc(a.Set,
			func(set policy.Assignment) bool { return set.Column == d.Column })
		if d != nil && d.Kind == "hash" && (set || a.Document != "" || a.NameOf(from) != d.Column) {
			s.fail(messages.ArchivesToOtherNode(a.Into.Name, d.Column, from), a.Into.Position)
		}
	case step.Insert != nil:
		in := step.Insert
		d := s.distribution(in.Into)
		if d != nil && d.Kind == "hash" && !slices.ContainsFunc(slices.Concat(in.Key, in.Per, in.Set),
			func(a policy.Assignment) bool { return a.Column == d.Column && s.key(a.Value) }) {
			s.fail(messages.InsertsIntoOtherNode(in.Into.Name, d.Column, s.own.Column), in.Into.Position)
		}
	}
}
