package lint

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkLabels checks each literal text that the policy compares with a column of an enum, or with a
// column whose CHECK constraints allow only some texts. The server refuses the text that is no
// label of the enum. No row has the text that the constraints exclude. A domain over an enum has no
// operator that compares it with a text, which the server says for every text.
func (l *linter) checkLabels(p *policy.Policy) {
	aliases := l.aliases(p)
	for _, part := range p.Fragments() {
		for _, c := range part.Expr.Parsed().Compared {
			if table, column := l.columnOf(p, part.Kind, c.Column, aliases); column != nil &&
				(column.Base == "" || len(column.Labels) == 0) {
				l.checkText(p, part.Expr, c.Offset, table, column, c.Value, false)
			}
		}
	}
}

// checkText adds a finding if the column cannot hold the text. If "set" is true, the policy writes
// the text, otherwise it compares it.
func (l *linter) checkText(p *policy.Policy, e policy.Expr, offset int, table *catalog.Table, column *catalog.Column,
	text string, set bool) {
	add, finding, allowed := l.warn, messages.ComparesExcluded, column.Values
	switch {
	case len(column.Labels) > 0:
		add, finding, allowed = l.refuse, messages.NoLabel, column.Labels
	case set:
		finding = messages.SetsExcluded
	}
	if len(allowed) > 0 && !slices.Contains(allowed, text) {
		add(finding(messages.Text{Policy: p.Name, Table: table.String(), Column: column.Name, Type: column.Plain(),
			Text: text, Allowed: quoted(allowed), Near: messages.DidYouMean(text, allowed)}), e.At(offset+len("'")), p)
	}
}

// quoted lists texts as SQL literals. Of a long list it returns the first ten.
func quoted(list []string) string {
	const most = 10
	shown, more := list[:min(len(list), most)], ""
	if len(list) > most {
		more = ", ..."
	}
	var b strings.Builder
	for i, text := range shown {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + strings.ReplaceAll(text, "'", "''") + "'")
	}
	return b.String() + more
}

// aliases maps the names by which expressions of a policy read rows of tables to these tables. It
// leaves out names that mean different tables in different steps.
func (l *linter) aliases(p *policy.Policy) map[string]*catalog.Table {
	named := map[string]*catalog.Table{"t": l.tableOf(p)}
	add := func(name string, table policy.Table) {
		if other, ok := named[name]; ok && (other == nil || other.String() != table.String()) {
			named[name] = nil
		} else if name != "" {
			named[name] = l.graph[table.String()]
		}
	}
	joins := func(list []policy.Join) {
		for _, j := range list {
			if j.Table != nil {
				add(j.Name, *j.Table)
			}
		}
	}
	joins(p.Joins)
	for _, s := range p.Then {
		if s.Related != nil {
			add(s.Related.As, s.Related.Table)
			joins(s.Related.Joins)
		}
	}
	return named
}

// columnOf returns the column of the snapshot that a name in SQL of a policy means, with its table.
// It returns nil if the meaning is not certain. The parameter "kind" is the kind of the SQL.
func (l *linter) columnOf(p *policy.Policy, kind string, ref pgparse.ColumnRef, aliases map[string]*catalog.Table) (
	*catalog.Table, *catalog.Column) {
	var found []*catalog.Table
	name, last := ref.Fields[0], ref.Fields[len(ref.Fields)-1]
	if ref.Star || ref.Derived || len(ref.Fields) > 2 {
		return nil, nil
	}
	for _, t := range ref.Beside {
		if len(ref.Fields) == 2 && t.Qualifier() != name {
			continue
		}
		table := l.graph.LookUp(t.Schema, t.Name, l.Install.SearchPath)
		if table == nil || t.Schema == "" && (t.Name == "batch" || t.Name == "partition") {
			return nil, nil // the table may have such a column
		}
		if table.Column(last) != nil {
			found = append(found, table)
		}
	}
	switch {
	case len(found) == 0 && kind != policy.IsExpression:
	case len(found) == 0 && len(ref.Fields) == 2:
		found = []*catalog.Table{aliases[name]}
	case len(found) == 0:
		found = []*catalog.Table{l.tableOf(p)}
	}
	if len(found) != 1 || found[0] == nil {
		return nil, nil
	}
	return found[0], found[0].Column(last)
}

// checkAssigned checks the constants that the policy writes into columns. A column that is NOT NULL
// cannot hold NULL, and a column of an enum or with a CHECK constraint cannot hold every text.
func (l *linter) checkAssigned(p *policy.Policy) {
	for _, s := range p.Then {
		t := l.tableOf(p)
		if s.Related != nil {
			t = l.graph[s.Related.Table.String()]
		}
		if s.Update != nil {
			l.checkConstantsFor(p, t, s.Update.Set)
		}
		if s.Insert != nil {
			l.checkConstantsFor(p, l.graph[s.Insert.Into.String()],
				slices.Concat(s.Insert.Key, s.Insert.Per, s.Insert.Set))
		}
		if s.Archive != nil {
			l.checkConstantsFor(p, l.graph[s.Archive.Into.String()], s.Archive.Set)
		}
	}
	if p.Touch != nil {
		l.checkConstantsFor(p, l.tableOf(p), p.Touch.Set)
	}
}

func (l *linter) checkConstantsFor(p *policy.Policy, t *catalog.Table, list []policy.Assignment) {
	if t == nil {
		return
	}
	for _, a := range list {
		column, value := t.Column(a.Column), condition(&a.Value)
		switch {
		case column == nil || value == nil || value.Form != pgparse.Fixed:
		case value.Value.Kind == pgparse.TextConstant:
			l.checkText(p, a.Value, 0, t, column, value.Value.Text, true)
		case value.Value.Kind == pgparse.NullConstant && !value.Null && column.NotNull:
			l.warn(messages.SetsNull(p.Name, a.Column, t.Schema+"."+t.Name), a.Position, p)
		}
	}
}
