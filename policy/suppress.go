package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var suppressShape = shape{keys: []string{"check", "policy", "table", "object", "reason", "until"}}

// narrowings are the keys of which a suppression has one at most.
var narrowings = []string{"policy", "table", "object"}

var (
	checkCode = regexp.MustCompile(`^[LV]0[0-9]{2}$`)
	// neverSilent say that something is wrong with the policy file, or that nobody could look.
	neverSilent = regexp.MustCompile(`^(P[0-9]{3}|[LV]09[0-9])$`)
)

func (r *reader) suppressions(file *File, f field) []Suppression {
	var list []Suppression
	for _, item := range r.list(f) {
		if s, ok := r.suppression(file, item); ok {
			list = append(list, s)
		}
	}
	return list
}

func (r *reader) suppression(file *File, f field) (Suppression, bool) {
	m, ok := r.mapping(f, `an item of "suppress"`, suppressShape)
	if !ok {
		return Suppression{}, false
	}
	s := Suppression{Position: r.fieldAt(f)}
	if check, ok := m.require("check"); ok {
		s.Check, s.Position = r.check(check), r.at(check.value)
	}
	if reason, ok := m.require("reason"); ok {
		s.Reason = r.why(reason)
	}
	if until, ok := m.require("until"); ok {
		s.Until = r.day(until)
	}
	r.narrow(&s, file, m)
	return s, true
}

func (r *reader) check(f field) string {
	code, ok := r.text(f)
	switch {
	case !ok:
	case neverSilent.MatchString(code):
		r.add(codeNotSilent, r.at(f.value), fmt.Sprintf("%s cannot be suppressed", code), notSilentDetail(code), "Remove the item.")
	case !checkCode.MatchString(code):
		r.add(codeSuppression, r.at(f.value), fmt.Sprintf("%q is not the code of a check", code), "", "Write the code of a finding, for example check: V020.")
	}
	return code
}

func notSilentDetail(code string) string {
	if strings.HasPrefix(code, "P") {
		return "It is an error of the policy file."
	}
	return "It says what could not be looked at, or that a suppression is of no use."
}

func (r *reader) why(f field) string {
	reason, ok := r.text(f)
	if ok && strings.TrimSpace(reason) == "" {
		r.add(codeSuppression, r.at(f.value), "a suppression without a reason", "", "Say why the finding is no fault, for whoever reads it next year.")
	}
	return reason
}

// day is a date as PostgreSQL and YAML write it.
func (r *reader) day(f field) string {
	text, ok := r.text(f)
	if _, err := time.Parse(time.DateOnly, text); ok && err != nil {
		r.add(codeSuppression, r.at(f.value), fmt.Sprintf("%q is not a date", text), "A suppression holds up to the end of that day.", "Write year, month and day, for example until: 2027-01-31.")
	}
	return text
}

// narrow reads what the suppression is about, beside the check.
func (r *reader) narrow(s *Suppression, file *File, m mapping) {
	var first string
	for _, key := range m.order {
		f := m.fields[key]
		if !slices.Contains(narrowings, key) {
			continue
		}
		if first != "" {
			r.add(codeConflict, r.at(f.key), fmt.Sprintf("%q and %q exclude each other", first, key), "", "Write an item of its own for the second one.")
			continue
		}
		first = key
		switch key {
		case "policy":
			s.Policy = r.knownPolicy(file, f)
		case "table":
			if t, ok := r.table(f); ok {
				s.Table = &t
			}
		case "object":
			if s.Object, _ = r.text(f); s.Object == "" {
				r.add(codeSuppression, r.at(f.value), "a suppression of an object without a name", "", `Write the name as the finding has it under "object" (verify --format json).`)
			}
		}
	}
}

// knownPolicy is the name of a policy or report, which share one set of names.
func (r *reader) knownPolicy(file *File, f field) string {
	name, ok := r.text(f)
	var names []string
	for _, p := range file.Policies {
		names = append(names, p.Name)
	}
	for _, report := range file.Reports {
		names = append(names, report.Name)
	}
	if ok && !slices.Contains(names, name) {
		r.add(codeSuppression, r.at(f.value), fmt.Sprintf("a suppression for an unknown policy or report %q", name), "", didYouMean(name, names))
	}
	return name
}
