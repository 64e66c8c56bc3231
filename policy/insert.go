package policy

import "fmt"

// insertStep reads where the rows go and how they are grouped. Without table, as names the row of
// the group, for later steps.
func (r *reader) insertStep(step *Step, m mapping, s scope) {
	in := &Insert{}
	step.Insert = in
	if into, ok := m.require("into"); ok {
		in.Into, _ = r.table(into)
	}
	in.Key, in.Per = r.assignments(m.fields["key"], s), r.assignments(m.fields["per"], s)
	in.Add, in.Max = r.assignments(m.fields["add"], s), r.assignments(m.fields["max"], s)
	in.Min, in.Set = r.assignments(m.fields["min"], s), r.assignments(m.fields["set"], s)
	r.grouping(m)
	r.eachOnce(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set)
	if as, ok := m.fields["as"]; ok && step.Related == nil {
		in.As = r.header(as, m, s)
	}
}

func (r *reader) grouping(m mapping) {
	if per, ok := m.fields["per"]; ok && m.has("key") {
		r.add(codeConflict, r.at(per.key), `"key" and "per" exclude each other`, `With "key" the row that exists is changed, with "per" every group is a new row.`, "Remove one of the two.")
	}
	for _, name := range []string{"add", "max", "min"} {
		if f, ok := m.fields[name]; ok && !m.has("key") {
			r.add(codeMissing, r.at(f.key), fmt.Sprintf("%q needs \"key\"", name), "It changes the row that exists, which the key finds.", `Write the columns that make the row unique in "key".`)
		}
	}
	if !m.has("key") && !m.has("per") && !m.has("set") {
		r.add(codeMissing, r.fieldAt(m.from), `"insert" needs "key", "per" or "set"`, "Otherwise there is nothing to write.", "")
	}
	for _, name := range []string{"key", "per"} {
		if f, ok := m.fields[name]; ok {
			r.notEmpty(f)
		}
	}
}

// header is the name by which later steps read the new row of a group.
func (r *reader) header(f field, m mapping, s scope) string {
	if !m.has("per") {
		r.add(codeConflict, r.at(f.key), `"as" of an insert needs "per" or "table"`, `With "per" it names the new row of the group, with "table" the related row.`, "Remove it.")
	}
	return r.alias(f, s)
}

// eachOnce refuses a column that two of the lists give a value.
func (r *reader) eachOnce(lists ...[]Assignment) {
	seen := map[string]Assignment{}
	for _, list := range lists {
		for _, a := range list {
			if first, ok := seen[a.Column]; ok {
				r.twice(a, first)
			}
			seen[a.Column] = a
		}
	}
}

func (r *reader) twice(a, first Assignment) {
	r.add(codeDuplicate, a.Position, fmt.Sprintf("column %q has a value already", a.Column), fmt.Sprintf("The first one is at %s.", first.Position), "")
}
