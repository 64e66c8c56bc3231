package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Each is a word that stands for every schema of a pattern, or for the shards on a server of what Citus distributes in
// a schema. A policy whose table is in it is a page for each of these schemas that has the table, or for each shard of
// the table: its members, "policy@schema" or "policy@102008". Exactly one of Schemas and ShardsOf is set.
type Each struct {
	Name     string        `name:"each"`            // "each_tenant": the word
	Schemas  string        `yaml:"schemas,pattern"` // "tenant_*"
	ShardsOf string        `yaml:"shards_of,plain"` // "app"
	Position diag.Position // of the word
}

// Pattern is that of the schemas whose tables the word stands for: of shards a single one.
func (e *Each) Pattern() string { return e.Schemas + e.ShardsOf }

// MemberMark is between the names of a policy and of a schema in that of a member.
const MemberMark = "@"

func (e *Each) check(r *reader, m mapping) {
	r.try(func() { r.follow("each", "", m.from, e.Name, e.Position) })
	m.either("P005 either", "schemas", "shards_of")
}

// Words are the patterns of schemas by the words that stand for them.
func (f *File) Words() map[string]string {
	words := map[string]string{}
	for _, e := range f.Each {
		words[e.Name] = e.Pattern()
	}
	return words
}

// EachOf is what the policy's table says of the schemas that it is for; nil: it is one policy.
func (f *File) EachOf(p *Policy) *Each { return f.each(p.Table.Schema) }

func (f *File) each(schema string) *Each {
	if i := slices.IndexFunc(f.Each, func(e *Each) bool { return e.Name == schema }); i >= 0 {
		return f.Each[i]
	}
	return nil
}

// checkEach checks that only policies for each schema name the word, and use nothing that is there once for all of
// them.
func (r *reader) checkEach(f *File) {
	if len(f.Each) == 0 {
		return
	}
	members := map[string]*Each{}
	for _, p := range f.Policies {
		members[p.Name] = f.EachOf(p)
	}
	for _, m := range f.Mentions() {
		if e := f.each(m.Schema); e != nil && (m.Kind != "policy" || members[m.Of] != e) {
			r.add("P036 schemas", m.Position, e.Name)
		}
	}
	for _, p := range f.Policies {
		own := members[p.Name]
		if own == nil {
			continue
		}
		for _, part := range p.Parts() {
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
		r.checkMember(p)
	}
}

// checkMember refuses what a migration makes once, or calls by the policy's name.
func (r *reader) checkMember(p *Policy) {
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

// Word is the name of the page that stands for all members.
func (e *Each) Word(policy string) string { return policy + MemberMark + e.Name }

// Place is a schema or a shard that a member is for. Names are what stands in its page for what: of a schema the word
// and the schema, of a shard each table with the word and its shard before that.
type Place struct {
	Name  string
	Names [][2]string
}

// MarshalJSON writes "schema.name", which a place may have another name for.
func (t Table) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Table    string
		Position diag.Position
	}{t.String(), t.Position})
}

// UnmarshalJSON reads it: the schema has no dot where there are places.
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

// In is the policy as it is for one place.
func (p *Policy) In(place Place) *Policy {
	member := InPlace(*p, place)
	member.Name = p.Name + MemberMark + place.Name
	return &member
}

// InPlace returns plain data in which the names of a place stand for its words. A name may have any character.
func InPlace[T any](value T, place Place) (made T) {
	text := sure(json.Marshal(value))
	for _, name := range place.Names {
		text = bytes.ReplaceAll(text, []byte(name[0]), nameInJSON(name))
	}
	sure(0, json.Unmarshal(text, &made))
	return made
}

// nameInJSON returns the name that stands for a word, escaped as within a JSON document. Where a word has quotes at
// both ends, it is a whole string of that document, and the quotes of the name stay as well.
func nameInJSON(name [2]string) []byte {
	quotes := ""
	if strings.HasPrefix(name[0], `"`) && strings.HasSuffix(name[0], `"`) {
		quotes = `"`
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(name[1], quotes), quotes)
	escaped := sure(json.Marshal(inner))
	return slices.Concat([]byte(quotes), escaped[1:len(escaped)-1], []byte(quotes))
}
