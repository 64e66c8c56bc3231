package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	verifysql "pgretain/sql/verify"
)

// makeup is what a relation of the runtime consists of, and what it should.
type makeup struct {
	generator.Object
	wanted, live []verifysql.Fact
}

// checkMakeup compares the relations that are there with those of a fresh install. The queries of views are left out
// where nobody knows how this version of PostgreSQL prints them, and so are relations of policies.
func (v *inspection) checkMakeup(r reading) error {
	recorded := verifysql.Recorded()
	major, err := collectRow[struct{ Version string }](r, "major_version")
	if err != nil {
		return err
	}
	if err := r.exec("relation_path", v.install.Schema); err != nil {
		return err
	}
	relations := v.relations()
	live, err := collectRows[verifysql.Fact](r, "relation_facts", v.install.Schema, mapped(relations, v.inSchema))
	if err != nil {
		return err
	}
	wanted := slices.Concat(recorded.Facts, recorded.Queries[major.Version])
	for _, o := range relations {
		of := func(facts []verifysql.Fact) (list []verifysql.Fact) {
			for _, f := range facts {
				if f.Relation == v.inSchema(o) {
					list = append(list, f)
				}
			}
			return list
		}
		v.compareMakeup(makeup{o, of(wanted), of(live)})
	}
	return nil
}

// relationWords are for people.
var relationWords = map[generator.Kind]string{generator.KindType: "type", generator.KindTable: "table", generator.KindView: "view", generator.KindStored: "table"}

// interceptors are kinds of facts that no table of the runtime has.
var interceptors = []string{"trigger", "rule", "row security", "reference", "parent", "child"}

func (v *inspection) compareMakeup(m makeup) {
	var acts, lacks, exceeds []string
	for _, f := range m.live {
		switch same := func(w verifysql.Fact) bool { return w == f }; {
		case slices.Contains(interceptors, f.Kind):
			acts = append(acts, shown(f))
		case !slices.ContainsFunc(m.wanted, same) && (has(m.wanted, f.Kind, f.Name) || m.inTheWay(f)):
			exceeds = append(exceeds, shown(f))
		}
	}
	for _, f := range m.wanted {
		if len(m.live) > 0 && !slices.Contains(m.live, f) { // else it is missing, which is said
			lacks = append(lacks, shown(f))
		}
	}
	what := fmt.Sprintf("%s %q", relationWords[m.Kind], m.Name)
	if len(acts) > 0 {
		v.about(m.Object, message{Code: codeIntercepted, Message: "something else acts on " + what, Got: strings.Join(acts, "; "),
			Detail: "Statements of the runtime do something else there as well, or instead, or fail, or see a part of the rows.",
			Hint:   "Drop it, or switch it off, as the owner of the table."})
	}
	if len(lacks)+len(exceeds) > 0 {
		v.about(m.Object, message{Code: codeNotAsInstalled, Message: what + " is not as it was installed",
			Want: strings.Join(lacks, "; "), Got: strings.Join(exceeds, "; "),
			Hint: "Run the statements of a view from the last migration again; change a table or type back by an ALTER of what differs."})
	}
}

// shown is a fact for people; of a query there is but a hash.
func shown(f verifysql.Fact) string {
	if f.Kind == "query" || f.Text == "" {
		f.Text = "another"
	}
	return strings.TrimSpace(f.Kind+" "+f.Name) + ": " + f.Text
}

// has says whether there is a fact of a kind under a name, whatever it says.
func has(facts []verifysql.Fact, kind, name string) bool {
	return slices.ContainsFunc(facts, func(f verifysql.Fact) bool { return f.Kind == kind && f.Name == name })
}

// inTheWay says whether a live fact that nobody wants is in the way of what the runtime does: further columns
// that need no value, and indexes that refuse nothing, are not.
func (m makeup) inTheWay(f verifysql.Fact) bool {
	if len(m.wanted) == 0 {
		return false
	}
	switch f.Kind {
	case "column":
		return m.Kind != generator.KindTable // a type's or a view's: values have another shape
	case "constraint", "option":
		return true
	case "unique index":
		return !has(m.live, "constraint", f.Name)
	case "default":
		return has(m.wanted, "column", f.Name)
	case "not null":
		generated := func(c verifysql.Fact) bool {
			return c.Kind == "column" && c.Name == f.Name && strings.Contains(c.Text, " GENERATED")
		}
		return has(m.wanted, "column", f.Name) || !has(m.live, "default", f.Name) && !slices.ContainsFunc(m.live, generated)
	}
	return false
}
