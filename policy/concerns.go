package policy

import "slices"

// Concerns knows what the policies of a file do about the rows of tables.
type Concerns struct {
	file    *File
	deletes map[string][]*Policy        // by table
	reads   map[*Policy]map[string]bool // by table; filled when asked for
}

// Concerns collects them.
func (f *File) Concerns() *Concerns {
	c := &Concerns{f, map[string][]*Policy{}, map[*Policy]map[string]bool{}}
	for _, p := range f.Policies {
		for _, d := range p.Deletes() {
			c.deletes[d.Table.String()] = append(c.deletes[d.Table.String()], p)
		}
	}
	return c
}

// About says whether the file does something about rows of a table that refer to what step number step of
// a policy deletes: an earlier step of the policy changes or deletes them (any step, if that is early
// enough), its expressions or joins read them, or another policy deletes them. The table has several
// names: its own, and those of the tables above it.
func (c *Concerns) About(names []string, p *Policy, step int, anyStep bool) bool {
	for i, s := range p.Then {
		earlier := &Policy{Then: []Step{s}}
		if (i < step || anyStep) && slices.ContainsFunc(earlier.Changes(), func(t Table) bool { return slices.Contains(names, t.String()) }) {
			return true
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return c.readBy(p)[name] || slices.ContainsFunc(c.deletes[name], func(other *Policy) bool { return other != p })
	})
}

func (c *Concerns) readBy(p *Policy) map[string]bool {
	if c.reads[p] == nil {
		c.reads[p] = map[string]bool{}
		for _, t := range c.file.Reads(p) {
			c.reads[p][t.String()] = true
		}
	}
	return c.reads[p]
}

// Reads lists the tables that joins and expressions of a policy read, in every schema that the search
// path would find them in.
func (f *File) Reads(p *Policy) []Table {
	var list []Table
	for _, j := range p.joinsOfAll() {
		list = addJoined(list, j)
	}
	for _, part := range p.Parts() {
		for _, t := range part.Tables() {
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

func (p *Policy) joinsOfAll() []Join {
	list := slices.Clone(p.Joins)
	for _, s := range p.Then {
		if s.Related != nil {
			list = append(list, s.Related.Joins...)
		}
	}
	return list
}

func addJoined(list []Table, j Join) []Table {
	if j.Table == nil {
		return list
	}
	return append(list, *j.Table)
}

// Tables lists the tables that a piece of SQL names; the schema is "" where the SQL has none.
func (p Part) Tables() []Table {
	parsed, err := p.Parse()
	if err != nil {
		return nil // refused when the file was read
	}
	var list []Table
	for _, ref := range parsed.Tables {
		list = append(list, Table{Schema: ref.Schema, Name: ref.Name, Position: p.Expr.At(ref.Offset)})
	}
	return list
}

// Deletion is a table that a step of a policy deletes from.
type Deletion struct {
	Table Table
	Step  int // in Then
}

// Deletes lists the deletions of a policy, those of its statements too, in their order.
func (p *Policy) Deletes() []Deletion {
	var list []Deletion
	for i, s := range p.Then {
		switch {
		case s.Delete != nil && s.Related != nil:
			list = append(list, Deletion{s.Related.Table, i})
		case s.Delete != nil:
			list = append(list, Deletion{p.Table, i})
		}
		for _, t := range (&Policy{Then: []Step{s}}).StatementDeletes() {
			list = append(list, Deletion{t, i})
		}
	}
	return list
}
