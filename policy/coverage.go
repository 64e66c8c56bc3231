package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// Coverage says that every table of some schemas has a policy, is protected, or is exempt.
type Coverage struct {
	Schemas  []Name        `yaml:"schemas,required,filled,schema"`
	Exempt   []Exemption   `yaml:"exempt,by hand"`
	Position diag.Position // of the key
}

// Exemption is a table that may grow, and why, "" where the file does not say.
type Exemption struct {
	Table  Table
	Reason string
}

func (c *Coverage) check(r *reader, m mapping) {
	if exempt, ok := m.fields["exempt"]; ok {
		r.exemptions(c, exempt)
	}
}

// exemptions are a list of tables, or a map of tables to reasons.
func (r *reader) exemptions(c *Coverage, f field) {
	switch resolve(f.value).Kind {
	case yaml.SequenceNode:
		var tables []Table
		r.value(f, &tables, "table")
		c.Exempt = lists.Map(tables, func(t Table) Exemption { return Exemption{Table: t} })
	case yaml.MappingNode:
		m, _ := r.mapping(f, `"exempt"`, nil)
		for _, key := range m.order {
			r.exemption(c, m.fields[key])
		}
	default:
		r.wrongKind(f, `"exempt"`, "a list of tables, or a map of tables to reasons")
	}
}

func (r *reader) exemption(c *Coverage, f field) {
	t, known := r.table(field{value: f.key, list: "exempt"})
	reason, told := r.text(f)
	if !known || !told {
		return
	}
	if strings.TrimSpace(reason) == "" {
		r.add(codeMissing, r.at(f.value), fmt.Sprintf("the reason why table %q is exempt is empty", t), "", "Say why it may grow, or write a list of tables.")
	}
	if slices.ContainsFunc(c.Exempt, func(e Exemption) bool { return e.Table.same(t) }) {
		r.add(codeRunTwice, t.Position, fmt.Sprintf("table %q is already listed in \"exempt\"", t), "", "")
	}
	c.Exempt = append(c.Exempt, Exemption{t, reason})
}

// checkCoverage checks that each schema may be covered, and that each exemption has a use.
func (r *reader) checkCoverage(f *File) {
	if f.Coverage == nil {
		return
	}
	schemas := f.Coverage.Schemas
	for _, name := range schemas {
		switch {
		case name.Text == f.Install.Schema:
			r.add(codeReserved, name.Position, fmt.Sprintf("schema %q is not allowed in \"schemas\"", name.Text), "Its tables have a policy of their own.", "Take it out.")
		case name.Text == "information_schema" || strings.HasPrefix(name.Text, "pg_"):
			r.add(codeReserved, name.Position, fmt.Sprintf("schema %q is not allowed in \"schemas\"", name.Text), "It is PostgreSQL's own.", "Name schemas with tables of yours.")
		}
	}
	for _, e := range f.Coverage.Exempt {
		if len(schemas) > 0 && !slices.ContainsFunc(schemas, func(n Name) bool { return n.Text == e.Table.Schema }) {
			r.add(codeConflict, e.Table.Position, fmt.Sprintf("table %q is exempt, and its schema is not covered", e.Table), "Tables of other schemas are not looked at anyway.",
				fmt.Sprintf("Add %q to \"schemas\", or take the exemption out.", e.Table.Schema))
		}
		if what := f.covering(e.Table); what != "" {
			r.add(codeConflict, e.Table.Position, fmt.Sprintf("table %q is exempt, and %s", e.Table, what), "", "Take the exemption out.")
		}
	}
}

// covering says, for messages, what the file does about a table beside an exemption; "" for nothing.
func (f *File) covering(t Table) string {
	if i := slices.IndexFunc(f.Protect, t.same); i >= 0 {
		return fmt.Sprintf("protected at %s", f.Protect[i].Position)
	}
	for _, p := range f.Policies {
		for _, use := range p.Covers() {
			if use.Table.same(t) && !use.Reached {
				return fmt.Sprintf("policy %q at %s is about its rows", p.Name, p.Position)
			}
		}
	}
	return ""
}

var (
	checkCode = regexp.MustCompile(`^[LV]0[0-9]{2}$`)
	// neverSilent say that something is wrong with the policy file, or that nobody could look.
	neverSilent = regexp.MustCompile(`^(P[0-9]{3}|[LV]09[0-9])$`)
)

// suppressionText checks a text of a suppression: the code of a check, what it is about, a reason, or a day as PostgreSQL
// and YAML write it.
func (r *reader) suppressionText(at diag.Position, kind, text string) {
	switch kind {
	case "check":
		if neverSilent.MatchString(text) {
			detail := "It says what could not be looked at, or that a suppression is of no use."
			if strings.HasPrefix(text, "P") {
				detail = "It is an error of the policy file."
			}
			r.add(codeNotSilent, at, fmt.Sprintf("%s cannot be suppressed", text), detail, "Remove the item.")
		} else if !checkCode.MatchString(text) {
			r.add(codeSuppression, at, fmt.Sprintf("%q is not the code of a check", text), "", "Write the code of a finding, for example check: V020.")
		}
	case "reason":
		if strings.TrimSpace(text) == "" {
			r.add(codeSuppression, at, "a suppression without a reason", "", "Say why the finding is no fault, for whoever reads it next year.")
		}
	case "subject":
		if names := r.model.Runnable(); !slices.Contains(names, text) {
			r.add(codeSuppression, at, fmt.Sprintf("a suppression for an unknown policy or report %q", text), "", DidYouMean(text, names))
		}
	case "object":
		if text == "" {
			r.add(codeSuppression, at, "a suppression of an object without a name", "", `Write the name as the finding has it under "object" (verify --format json).`)
		}
	case "day":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.add(codeSuppression, at, fmt.Sprintf("%q is not a date", text), "A suppression holds up to the end of that day.", "Write year, month and day, for example until: 2027-01-31.")
		}
	}
}

// check holds that the suppression is of one of policy, table and object at most.
func (s *Suppression) check(r *reader, m mapping) {
	if check, ok := m.fields["check"]; ok {
		s.Position = r.at(check.value)
	}
	subjects := slices.DeleteFunc(slices.Clone(m.order), func(key string) bool {
		return key != "policy" && key != "table" && key != "object"
	})
	for _, key := range subjects[min(1, len(subjects)):] {
		r.exclusive(m, subjects[0], key, "", "Write an item of its own for the second one.")
	}
}
