package generator

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"pgretain/internal/deep"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/shards"
	"pgretain/policy"
)

// Instances is the plan of a policy that has an instance for each schema or shard. The policy is
// compiled once. In its objects, the word of "each" stands for the schema and for nothing else:
// Compile refuses all other names and texts that contain the word. No migration contains the
// objects. The runtime creates or replaces them when a run of an instance begins.
type Instances struct {
	Each    *policy.Each
	Objects []Object
	Hash    string // hash of the instances' registry rows
}

// In returns the objects of one instance. The runtime creates equal objects.
func (m *Instances) In(instance policy.Instance) []Object {
	names := m.names(instance)
	objects := deep.Copy(m.Objects, func(part any) (any, bool) {
		switch text := part.(type) {
		case diag.Position:
			return text, true
		case string:
			return names.Replace(text), true
		case *PolicyRow: // the runtime replaces the names in the text of the row, too
			var row PolicyRow
			if err := json.Unmarshal([]byte(names.Replace(encode(text))), &row); err != nil {
				panic(err) // names of schemas and shards need no escapes in JSON
			}
			return &row, true
		case Right:
			if string(text.Schema) == m.Each.Name {
				text.Schema = ident(instance.Schema)
				text.Name = ident(cmp.Or(instance.Tables[string(text.Name)], string(text.Name)))
			}
			return text, true
		}
		return nil, false
	})
	for i, o := range m.Objects {
		if o.Name == "schema "+m.Each.Name {
			objects[i].Name = "schema " + instance.Schema
		}
	}
	return objects
}

// names returns the names of an instance. For a shard, the table is part of the name that is
// replaced, because each table of a shard has a name of its own. The longer names come first,
// because a name may be the beginning of another one.
func (m *Instances) names(instance policy.Instance) *strings.Replacer {
	word := m.Each.Name
	if m.Each.ShardsOf == "" {
		return strings.NewReplacer(word, instance.Schema)
	}
	var pairs []string
	tables := slices.SortedFunc(maps.Keys(instance.Tables),
		func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, table := range tables {
		pairs = append(pairs, word+"."+table, instance.Schema+"."+instance.Tables[table])
	}
	return strings.NewReplacer(append(pairs, "SCHEMA "+word, "SCHEMA "+instance.Schema,
		`"`+word+`"`, `"`+instance.Schema+`"`, word, instance.Name)...)
}

// planEach compiles a policy for each schema. It compiles one instance, in a schema that has the
// word as its name.
func (c *compiler) planEach(p *policy.Policy, e *policy.Each) *policyPlan {
	instance := *p
	instance.Name = e.ScriptName(p.Name)
	if e.ShardsOf != "" {
		c.diags = append(c.diags, shards.Check(&instance, e, c.tables)...)
	}
	return c.planOf(&instance)
}

// eachRow is the registry row of a policy that has an instance for each schema or shard.
type eachRow struct {
	Name        literal         `json:"name"`
	Placeholder literal         `json:"placeholder"` // the word
	Schemas     literal         `json:"schemas"`     // pattern of the schemas, or the schema of the distributed tables
	Shards      bool            `json:"shards"`      // the policy is for each shard
	Description description     `json:"description"`
	Script      script          `json:"script"`    // SQL of an instance
	Registers   json.RawMessage `json:"registers"` // registry row of an instance
}

// script is the SQL of an instance. It prints itself in dollar quotes.
type script string

func (s script) String() string { return string(inDollars(string(s), "script")) }

// eachScript contains the fields of the templates "each" and "admit".
type eachScript struct {
	eachRow
	Schema, Policy sqlText
	Comment        sqlText // the pattern, for a comment
	Row            sqlText // registry row of an instance
	Statements     sqlText // what only the migrating role may do for an instance
	Functions      []sqlText
	Distributed    literal // the policy's table, for shards
	Tables         literal // distributed tables as JSON, with their distribution columns
	Owner, Worker  ident
	Create         sqlText // declaration of the function <policy>_admit
}

// eachObjects returns the objects that serve all instances of the policy: the script, and a
// function. For each instance, the function does what only the migrating role may do.
func (p *policyPlan) eachObjects(e *policy.Each) (objects []Object, refused diag.List) {
	// "": in a run, the migrating role calls no function of the owner
	privileges := withoutRepeated(p.privileges(p.grants, ""))
	own, registry := p.objects()
	of := strings.TrimSuffix(p.policy.Name, policy.InstanceMark+e.Name)
	var page, statements string
	var functions []sqlText
	for _, o := range slices.Concat(own, privileges) {
		if o.As != AsMigrator {
			page += o.SQL
			continue
		}
		statements += o.SQL
		if o.Kind == KindFunction {
			functions = append(functions, sqlText(o.Name))
		}
	}
	// The hash of an instance's row also covers the privileges on its schema.
	registry.Hash = Hash(registry.Hash, statements)
	instance := p.rowObject(registry)
	registers := registration(registry, "SELECT "+p.schema()+"._register(")
	texts := page + statements + string(registry.Description) + string(registers)
	if name := p.misplacedName(e.Name, texts); name != "" {
		found := messages.ContainsEachName(of, name, e.Name)
		found.Position = p.policy.Position
		refused.Add(found)
		return nil, refused
	}
	roles, shards := p.file.Install.Roles, e.ShardsOf != ""
	declared := admission(shards)
	entry, _ := encodedRow(registry, 0)
	row := eachRow{Name: literal(of), Placeholder: literal(e.Name), Schemas: literal(e.Pattern()), Shards: shards,
		Description: registry.Description, Script: script("\n" + page), Registers: json.RawMessage(entry)}
	data := eachScript{
		eachRow:     row,
		Schema:      sqlText(p.schema()),
		Policy:      sqlText(of),
		Comment:     sqlText(e.Pattern()),
		Row:         registers,
		Statements:  sqlText(statements),
		Functions:   functions,
		Distributed: literal(e.ShardsOf + "." + p.policy.Table.Name),
		Tables:      literal(encode(p.distributed(e))),
		Owner:       ident(roles.Owner),
		Worker:      ident(roles.Worker),
		Create:      declared.create(sqlText(p.schema() + "." + of + "_admit")),
	}
	name := p.schema() + "." + of + "_admit(" + declared.signature() + ")"
	admit := newObject(KindFunction, name, "admit", data, p.policy.Position).declaredAs(declared).
		grantedTo(roles, roles.Owner)
	admit.As, admit.Policy, admit.Table = AsMigrator, of, instance.Table
	return []Object{admit, {
		Kind: KindEach, Name: of, As: AsOwner,
		SQL:    execute("each.sql.tmpl", data),
		Drop:   object("each_drop", data),
		Policy: of, Table: instance.Table, Position: p.policy.Position, Words: instance.Words,
		Row: row,
		Instances: &Instances{Each: e, Hash: registry.Hash,
			Objects: slices.Concat(own, []Object{instance}, privileges)},
	}}, nil
}

// admission returns the declaration of the function that admits a schema, or a shard.
func admission(shards bool) function {
	declared := function{returns: "void", parameters: []pgparse.Parameter{in("p_schema", "text")}, language: "plpgsql",
		clauses:  []string{"SECURITY DEFINER"},
		settings: append(slices.Clone(settingsOfRuntime), setting{"lock_timeout", "1s", true})}
	if shards {
		declared.returns, declared.parameters = "TABLE", []pgparse.Parameter{withDefault("p_place", "text", "NULL"),
			withDefault("p_grant", "boolean", "false"), column("place", "text"), column("names", "jsonb")}
	}
	return declared
}

// misplacedName returns a name in the SQL of a policy for each schema that contains the word but is
// not the schema; "" if there is none. The reader of the file has checked the policy's own names.
// Other names are those of the snapshot and of pgretain's SQL.
func (c project) misplacedName(word, sql string) string {
	for _, t := range c.snapshot.Tables {
		for _, name := range append(columnNames(t), t.Name, t.Schema) {
			if name != word && strings.Contains(name, word) && strings.Contains(sql, name) {
				return name
			}
		}
	}
	for rest := sql; ; {
		before, after, found := strings.Cut(rest, word)
		if !found {
			return ""
		}
		begin, end := strings.TrimRightFunc(before, isNameRune), strings.TrimLeftFunc(after, isNameRune)
		begin, end = before[len(begin):], after[:len(after)-len(end)]
		if begin != "" || end != "" && !strings.HasSuffix(before, policy.InstanceMark) {
			return begin + word + end
		}
		rest = after
	}
}

// isNameRune reports whether a name without quotes may contain the character.
func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// distributed returns the tables of the word's schema that the policy uses, with the distribution
// column of Citus. The column is NULL for reference tables.
func (p *policyPlan) distributed(e *policy.Each) map[string]*string {
	list := map[string]*string{}
	for _, r := range p.rights {
		if t := p.tables[r.table.String()]; t != nil && t.Schema == e.Name && t.Distribution != nil {
			list[t.Name] = nil
			if t.Distribution.Column != "" {
				list[t.Name] = &t.Distribution.Column
			}
		}
	}
	return list
}
