package policy

import (
	"pgretain/internal/deep"
	"pgretain/internal/diag"
)

// Instance is a schema or shard for which a policy has an instance. For a shard, Tables maps the
// tables that Citus distributes to the tables of the shard. For a schema it is nil.
type Instance struct {
	Name   string // the schema, or the number of the shard
	Schema string // schema of the instance's tables
	Tables map[string]string
}

// In returns a copy of the policy for one instance. The tables of the instance replace the tables
// of the word in the fields of the policy and in the lists of tables that its SQL reads and writes.
// Everything else stays as it is, also the text of the SQL and the positions.
func (p *Policy) In(e *Each, instance Instance) *Policy {
	name := func(schema, table string) (string, string) {
		if schema != e.Name {
			return schema, table
		}
		if shard, found := instance.Tables[table]; found {
			table = shard
		}
		return instance.Schema, table
	}
	made := deep.Copy(p, func(part any) (any, bool) {
		switch part := part.(type) {
		case Table:
			part.Schema, part.Name = name(part.Schema, part.Name)
			return part, true
		case Expr:
			if part.parsed != nil {
				part.parsed = part.parsed.Renamed(name)
			}
			return part, true
		}
		return nil, false
	})
	made.Name = p.Name + InstanceMark + instance.Name
	return made
}

// textsOf returns all texts in a value except SQL, the schemas of tables and names of files.
func textsOf(value any) (texts []string) {
	deep.Copy(value, func(part any) (any, bool) {
		switch part := part.(type) {
		case Expr, diag.Position:
			return part, true
		case Table:
			texts = append(texts, part.Name)
			return part, true
		case string:
			texts = append(texts, part)
		}
		return nil, false
	})
	return texts
}
