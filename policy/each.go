package policy

import (
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
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
	m.either(messages.NeedsEither, "schemas", "shards_of")
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

// checkEach checks that only policies with instances use the word, and only as the schema of
// tables. It also refuses objects that several instances would share.
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
			r.add(messages.EachOutsidePolicy(e.Name), m.Position)
		}
	}
	// refuse refuses the texts of a value that contain a word.
	refuse := func(value any, word string, at diag.Position) {
		for _, text := range textsOf(value) {
			if strings.Contains(text, word) {
				r.add(messages.EachInName(text, word), at)
			}
		}
	}
	for _, e := range f.Each {
		refuse(f.Install, e.Name, f.Install.Position)
		refuse(e.ShardsOf, e.Name, e.Position)
	}
	for _, p := range f.Policies {
		own := instances[p.Name]
		if own == nil {
			continue
		}
		for _, part := range p.Fragments() {
			others := slices.DeleteFunc(part.Tables(), func(t Table) bool { return t.Schema == own.Name })
			if strings.Count(part.Expr.SQL, own.Name) != len(part.Tables())-len(others) {
				r.add(messages.EachInSQL(own.Name), part.Expr.Position)
			}
		}
		refuse(p, own.Name, p.Position)
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
			r.add(messages.EachCannotHave(p.Name, c.what), p.Position)
		}
	}
}

// ScriptName returns the name of the generated script that serves all instances of the policy.
func (e *Each) ScriptName(policy string) string { return policy + InstanceMark + e.Name }
