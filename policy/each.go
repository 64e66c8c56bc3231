package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Each is a word that a policy writes in place of a schema. With Schemas it stands for every schema
// that matches a pattern. With ShardsOf it stands for the server's shards of the tables that Citus
// distributes in a schema. A policy on a table of this word has one instance for each schema or
// shard, named "policy@schema" or "policy@102008". Exactly one of Schemas and ShardsOf is set.
type Each struct {
	Name string `name:"each"` // the word itself, for example "each_tenant"
	// pattern of schema names, for example "tenant_*"
	Schemas string `yaml:"schemas,pattern"`
	// schema of the distributed tables, for example "app"
	ShardsOf string        `yaml:"shards_of,plain"`
	Position diag.Position // position of the word
}

// Pattern returns the pattern of the schemas that the word stands for. For shards it is the name of
// one schema.
func (e *Each) Pattern() string { return e.Schemas + e.ShardsOf }

// InstanceMark separates the policy's name from the schema or shard in the name of an instance.
const InstanceMark = "@"

func (e *Each) check(r *reader, m mapping) {
	r.try(func() { r.checkRule("each", "", m.from, e.Name, e.Position) })
	m.either("P005 either", "schemas", "shards_of")
}

// SchemaPatterns maps each word of "each" to its pattern of schema names.
func (f *File) SchemaPatterns() map[string]string {
	words := map[string]string{}
	for _, e := range f.Each {
		words[e.Name] = e.Pattern()
	}
	return words
}

// EachOf returns the word that stands for the schema of the policy's table. It returns nil if the
// policy has no instances.
func (f *File) EachOf(p *Policy) *Each { return f.each(p.Table.Schema) }

func (f *File) each(schema string) *Each {
	if i := slices.IndexFunc(f.Each, func(e *Each) bool { return e.Name == schema }); i >= 0 {
		return f.Each[i]
	}
	return nil
}

// checkEach checks that only policies with instances use the word. It also refuses names and
// objects that several instances would share.
func (r *reader) checkEach(f *File) {
	if len(f.Each) == 0 {
		return
	}
	instances := map[string]*Each{}
	for _, p := range f.Policies {
		instances[p.Name] = f.EachOf(p)
	}
	for _, m := range f.NamedTables() {
		if e := f.each(m.Schema); e != nil && (m.Kind != "policy" || instances[m.Of] != e) {
			r.add("P036 schemas", m.Position, e.Name)
		}
	}
	for _, p := range f.Policies {
		own := instances[p.Name]
		if own == nil {
			continue
		}
		for _, part := range p.Fragments() {
			others := slices.DeleteFunc(part.Tables(), func(t Table) bool { return t.Schema == own.Name })
			if strings.Count(part.Expr.SQL, own.Name) != len(part.Tables())-len(others) {
				r.add("P036 sql", part.Expr.Position, own.Name)
			}
		}
		names := []string{p.Name}
		for _, s := range p.Then {
			if s.Emit != nil {
				names = append(names, s.Emit.Event)
			}
		}
		for _, name := range names {
			if strings.Contains(name, own.Name) {
				r.add("P036 name", p.Position, words{"Name": name, "Each": own.Name})
			}
		}
		r.checkInstances(p)
	}
}

// checkInstances refuses parts of a policy that a migration creates only once, or that applications
// call under the policy's name.
func (r *reader) checkInstances(p *Policy) {
	for _, c := range []struct {
		what string
		has  bool
	}{
		{`"partitions_of"`, p.Partitions}, {`"ensure"`, len(p.Ensure) > 0},
		{`"claim"`, p.Claim != nil}, {`"touch"`, p.Touch != nil},
		{"a join that is read once per run", len(p.OncePerRun()) > 0},
		{`"create" of an archive`, slices.ContainsFunc(p.Uses(), func(u Effect) bool { return u.Created })},
		{`"drop_table"`, p.DropsTables()},
	} {
		if c.has {
			r.add("P036 has", p.Position, words{"Policy": p.Name, "What": c.what})
		}
	}
}

// ScriptName returns the name of the generated script that serves all instances of the policy.
func (e *Each) ScriptName(policy string) string { return policy + InstanceMark + e.Name }

// Instance is a schema or shard for which a policy has an instance. Names holds pairs of a word and
// its replacement. For a schema the pair is the word and the schema. For shards there is one pair
// for each table: the table's name that contains the word, and the name of its shard.
type Instance struct {
	Name  string
	Names [][2]string
}

// MarshalJSON writes the table as "schema.name", so that InInstance can replace the whole name.
func (t Table) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Table    string
		Position diag.Position
	}{t.String(), t.Position})
}

// UnmarshalJSON reads a table from "schema.name". A schema with instances contains no dot.
func (t *Table) UnmarshalJSON(text []byte) error {
	var read struct {
		Table    string
		Position diag.Position
	}
	err := json.Unmarshal(text, &read)
	t.Schema, t.Name, _ = strings.Cut(read.Table, ".")
	t.Position = read.Position
	return err
}

// In returns a copy of the policy for one schema or shard. Its Fragments are parsed again, with the
// names of the instance. A text that a name makes unreadable keeps the tree of the policy.
func (p *Policy) In(instance Instance) *Policy {
	copied := InInstance(*p, instance)
	copied.Name = p.Name + InstanceMark + instance.Name
	fragments := p.Fragments()
	parse := func(e *Expr, kind string, _ scope) {
		if err := e.parse(kind); err != nil {
			e.parsed = fragments[0].Expr.parsed
		}
		fragments = fragments[1:]
	}
	visitor{parse, func(diag.Position, string, scope) {}}.policy(&copied)
	return &copied
}

// must returns value, and panics on error. A caller passes an error only for a bug.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// InInstance returns a copy of a value for one schema or shard. The value must be plain data. The
// copy has the names of the instance in place of the words. A name may contain any character.
func InInstance[T any](value T, instance Instance) (made T) {
	text := must(json.Marshal(value))
	for _, name := range instance.Names {
		text = bytes.ReplaceAll(text, []byte(name[0]), nameInJSON(name))
	}
	must(0, json.Unmarshal(text, &made))
	return made
}

// nameInJSON returns the replacement of a word, escaped for a JSON document. If the word has quotes
// at both ends, it is a whole JSON string, and the result has quotes as well.
func nameInJSON(name [2]string) []byte {
	quotes := ""
	if strings.HasPrefix(name[0], `"`) && strings.HasSuffix(name[0], `"`) {
		quotes = `"`
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(name[1], quotes), quotes)
	escaped := must(json.Marshal(inner))
	return slices.Concat([]byte(quotes), escaped[1:len(escaped)-1], []byte(quotes))
}
