package policy

import (
	"slices"

	"pgretain/internal/deep"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// Instance is a schema or shard for which a policy has an instance. For a shard, Tables maps the
// tables that Citus distributes to the tables of the shard. For a schema it is nil.
type Instance struct {
	Name   string // the schema, or the number of the shard
	Schema string // schema of the instance's tables
	Tables map[string]string
}

// In returns a copy of the policy for one instance. The tables of the instance replace the tables
// of the word, in the fields of the policy and in its SQL. Everything else stays as it is. The
// positions in the copy are those of the policy.
func (p *Policy) In(e *Each, instance Instance) *Policy {
	made := deep.Copy(p, func(part any) (any, bool) {
		table, ok := part.(Table)
		if ok && table.Schema == e.Name {
			table.Schema, table.Name = instance.Schema, instance.table(table.Name)
		}
		return table, ok
	})
	made.Name = p.Name + InstanceMark + instance.Name
	visitor{
		sql: func(sql *Expr, kind string, _ scope) {
			sql.SQL = instance.sql(sql.Parsed(), e.Name)
			must(sql.parse(kind))
		},
		name: func(diag.Position, string, scope) {},
	}.policy(made)
	return made
}

// must panics on an error. The SQL was parsed when the file was read, so an error here is a bug.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// table returns the instance's name of a table.
func (i Instance) table(name string) string {
	if shard, found := i.Tables[name]; found {
		return shard
	}
	return name
}

// sql returns SQL with the tables of the instance in place of the tables of the word. A table of a
// shard keeps its former name as an alias, because columns may be qualified with it.
func (i Instance) sql(parsed *pgparse.Expr, word string) string {
	var edits []pgparse.Edit
	tokens, err := pgparse.Tokens(parsed.SQL)
	must(err)
	for _, t := range parsed.Tables {
		if t.Schema != word {
			continue
		}
		// A qualified name has three tokens: the schema, a dot and the table.
		first := slices.IndexFunc(tokens, func(token pgparse.Token) bool { return token.Offset == t.Offset })
		last := tokens[first+2]
		text := quote.Qualified(i.Schema, i.table(t.Name))
		if i.table(t.Name) != t.Name && t.Alias == "" {
			text += " " + quote.Ident(t.Name)
		}
		length := last.Offset + len(last.Text) - t.Offset
		edits = append(edits, pgparse.Edit{Offset: t.Offset, Length: length, Text: text})
	}
	return pgparse.Splice(parsed.SQL, edits)
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
