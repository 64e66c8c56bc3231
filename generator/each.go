package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"pgretain/policy"
)

// Members is what a KindEach object stands for: the objects of every schema that its word stands for, under the word. None
// of them has a migration: the runtime makes them when a run of the member begins.
type Members struct {
	Each    *policy.Each
	Objects []Object
}

// compileEach compiles a policy for each schema: its page as that of a member in a schema of the word's name.
func (c *compiler) compileEach(p *policy.Policy, e *policy.Each) []Object {
	member := *p
	member.Name = e.Word(p.Name)
	parts := c.compilePolicy(&member)
	if len(parts) == 0 || c.diags.HasErrors() {
		return nil
	}
	c.member = true
	parts = withoutRepeated(append(parts, c.privileges()...))
	c.rights = nil
	var page, admission strings.Builder
	var functions []sqlText
	at := 0 // of the member's row
	for i, o := range parts {
		switch {
		case o.Kind == KindPolicy:
			at = i
		case o.As == AsMigrator:
			admission.WriteString(o.SQL)
			if o.Kind == KindFunction {
				functions = append(functions, sqlText(o.Name))
			}
		default:
			page.WriteString(o.SQL)
		}
	}
	row := parts[at].hashedWith(admission.String())
	parts[at] = row
	roles := c.file.Install.Roles
	quote := dollarQuote([]byte(page.String()), "page")
	registers := strings.TrimSuffix(strings.TrimPrefix(row.SQL, "SELECT "+c.schema()+"._register("), ");\n")
	data := fields{"Schema": sqlText(c.schema()), "Name": literal(p.Name), "Word": literal(e.Name), "Comment": sqlText(e.Schemas),
		"Pattern": literal(e.Schemas), "Words": wordsText(row.Words), "Row": sqlText(registers),
		"Page": sqlText(quote + "\n" + page.String() + quote), "Policy": sqlText(p.Name), "Function": ident(p.Name + "_admit"),
		"Statements": sqlText(admission.String()),
		"Functions":  functions, "Owner": ident(roles.Owner), "Worker": ident(roles.Worker)}
	admit := Object{Kind: KindFunction, Name: c.schema() + "." + p.Name + "_admit(text)", As: AsMigrator, SQL: object("admit", data),
		Policy: p.Name, Table: row.Table, Position: p.Position}
	if !roles.None {
		admit.Grants = []string{roles.Owner}
	}
	template := Object{Kind: KindEach, Name: p.Name, As: AsOwner, SQL: execute("each.sql.tmpl", data), Drop: object("each_drop", data),
		Policy: p.Name, Table: row.Table, Position: p.Position, Words: row.Words, Members: &Members{e, parts}}
	template.Row = map[string]json.RawMessage{}
	for name, value := range map[string]any{"name": p.Name, "word": e.Name, "schemas": e.Schemas, "words": pageText(row.Words),
		"page": "\n" + page.String(), "registers": json.RawMessage(registers[strings.IndexByte(registers, '{') : strings.LastIndexByte(registers, '}')+1])} {
		template.Row[name] = json.RawMessage(encode(value))
	}
	return []Object{admit, template}
}

// hashedWith is a member's row whose hash covers what its schema is given, too.
func (o Object) hashedWith(admission string) Object {
	before := strings.Trim(string(o.Row["hash"]), `"`)
	hash := Hash(before, admission)
	o.SQL = strings.Replace(o.SQL, before, hash, 1)
	o.Row = maps.Clone(o.Row)
	o.Row["hash"] = json.RawMessage(encode(hash))
	return o
}

// memberIndexes refuses a policy for each schema where no index of the table serves: a run does not build one, since
// nobody could write meanwhile.
func (w *pageWriter) memberIndexes() {
	for _, wanted := range w.wantedIndexes() {
		if w.need(wanted.items).Index == "" {
			w.refuse(w.policy.Position, codeEachIndex, fmt.Sprintf("no index of table %q leads policy %q to its rows", tableName(w.table), w.policy.Name),
				fmt.Sprintf("Let what makes the tables make it: CREATE INDEX ON %s (%s).", qualified(w.table), fragment("index items", wanted.items)))
		}
	}
}

// In are the objects of one member.
func (m *Members) In(schema string) []Object {
	return each(m.Objects, func(o Object) Object { return policy.InSchema(o, m.Each.Name, schema) })
}

// Hash is that of the members' rows.
func (m *Members) Hash() string {
	for _, o := range m.Objects {
		if o.Kind == KindPolicy {
			return strings.Trim(string(o.Row["hash"]), `"`)
		}
	}
	return ""
}
