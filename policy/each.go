package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Each is a word that stands for every schema of a pattern. A policy whose table is in it is a page for each of these
// schemas that has the table: its members, "policy@schema".
type Each struct {
	Name     string        `name:"each"`             // "each_tenant": the word
	Schemas  string        `yaml:"schemas,required"` // "tenant_*"
	Position diag.Position // of the word
}

// MemberMark is between the names of a policy and of a schema in that of a member.
const MemberMark = "@"

var schemaPattern = regexp.MustCompile(`^[a-z_][a-z0-9_]*\*[a-z0-9_*]*$`)

func (e *Each) read(r *reader, f field) bool {
	e.Position = r.fieldAt(f)
	if !strings.HasPrefix(e.Name, "each_") {
		r.add(codeName, e.Position, fmt.Sprintf("%q does not begin with \"each_\"", e.Name),
			"Everywhere in a policy where the word stands, a page has the name of a schema: it must be no other name.",
			fmt.Sprintf("Write each_%s, here and before the dot of tables.", e.Name))
	}
	m, ok := r.structure(f, f.title(), e)
	if ok && e.Schemas != "" && !schemaPattern.MatchString(e.Schemas) {
		r.add(codeIdentifier, r.at(m.fields["schemas"].value), fmt.Sprintf("invalid pattern %q", e.Schemas),
			"It has lower-case letters, digits and underscores, which stand for themselves, and \"*\", which is any text, but not first.",
			`Write for example "tenant_*".`)
	}
	return ok
}

// Words are the patterns of schemas by the words that stand for them.
func (f *File) Words() map[string]string {
	words := map[string]string{}
	for _, e := range f.Each {
		words[e.Name] = e.Schemas
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

// checkEach checks that only policies for each schema name the word, and use nothing that is there once for all of them.
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
			r.add(codeEach, m.Position, fmt.Sprintf("%q stands for many schemas here", e.Name), "",
				"Only a policy whose own table is in it may name it.")
		}
	}
	for _, p := range f.Policies {
		own := members[p.Name]
		for _, part := range p.Parts() {
			if own != nil && strings.Count(part.Expr.SQL, own.Name) != countOf(part.Tables(), own.Name) {
				r.add(codeEach, part.Expr.Position, fmt.Sprintf("%q is not only a schema in this SQL", own.Name),
					"A page has the schema's name wherever the word stands.", "Name columns, aliases and texts otherwise.")
			}
		}
		if own != nil {
			if strings.Contains(p.Name, own.Name) {
				r.add(codeEach, p.Position, fmt.Sprintf("policy name %q has %q in it", p.Name, own.Name),
					"A page has the schema's name wherever the word stands.", "Choose another name.")
			}
			r.checkMember(p)
		}
	}
}

func countOf(tables []Table, schema string) int {
	return len(slices.DeleteFunc(tables, func(t Table) bool { return t.Schema != schema }))
}

// checkMember refuses what a migration makes once, or calls by the policy's name.
func (r *reader) checkMember(p *Policy) {
	for _, c := range []struct {
		what string
		has  bool
	}{
		{`"partitions_of"`, p.Partitions}, {`"ensure"`, len(p.Ensure) > 0}, {`"claim"`, p.Claim != nil}, {`"touch"`, p.Touch != nil},
		{"a join that is read once per run", len(p.OncePerRun()) > 0},
		{`"create" of an archive`, slices.ContainsFunc(p.Uses(), func(u Use) bool { return u.Created })},
		{`"drop_table"`, slices.ContainsFunc(p.Then, func(s Step) bool { return s.DropTable != nil })},
	} {
		if c.has {
			r.add(codeEach, p.Position, fmt.Sprintf("policy %q is for each schema, and has %s", p.Name, c.what),
				"Members are made when a schema comes, without a migration.", "Take it out, or write a policy for a single schema.")
		}
	}
}

// Word is the name of the page that stands for all members.
func (e *Each) Word(policy string) string { return policy + MemberMark + e.Name }

// In is the policy as it is for one schema.
func (p *Policy) In(e *Each, schema string) *Policy {
	member := InSchema(*p, e.Name, schema)
	member.Name = p.Name + MemberMark + schema
	return &member
}

// InSchema is plain data with a schema in the place of the word that stands for it.
func InSchema[T any](value T, word, schema string) T {
	var made T
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal([]byte(strings.ReplaceAll(string(text), word, schema)), &made)
	}
	if err != nil {
		panic("policy: " + err.Error())
	}
	return made
}
