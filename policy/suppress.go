package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgretain/internal/diag"
)

var (
	checkCode = regexp.MustCompile(`^[LV]0[0-9]{2}$`)
	// neverSilent say that something is wrong with the policy file, or that nobody could look.
	neverSilent = regexp.MustCompile(`^(P[0-9]{3}|[LV]09[0-9])$`)
)

// suppressionText checks a text of a suppression: the code of a check, a reason, or a day as PostgreSQL and YAML write it.
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
	case "day":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.add(codeSuppression, at, fmt.Sprintf("%q is not a date", text), "A suppression holds up to the end of that day.", "Write year, month and day, for example until: 2027-01-31.")
		}
	}
}

// check reads what the suppression is of: one of policy, table and object at most.
func (s *Suppression) check(r *reader, m mapping) {
	if check, ok := m.fields["check"]; ok {
		s.Position = r.at(check.value)
	}
	first := ""
	for _, key := range m.order {
		f := m.fields[key]
		if key != "policy" && key != "table" && key != "object" {
			continue
		}
		if first != "" {
			r.add(codeConflict, r.at(f.key), fmt.Sprintf("%q and %q exclude each other", first, key), "", "Write an item of its own for the second one.")
			continue
		}
		first = key
		switch key {
		case "policy":
			names := r.model.Runnable()
			if r.value(f, &s.Policy, "") && !slices.Contains(names, s.Policy) {
				r.add(codeSuppression, r.at(f.value), fmt.Sprintf("a suppression for an unknown policy or report %q", s.Policy), "", DidYouMean(s.Policy, names))
			}
		case "table":
			r.value(f, &s.Table, "")
		case "object":
			if r.value(f, &s.Object, ""); s.Object == "" {
				r.add(codeSuppression, r.at(f.value), "a suppression of an object without a name", "", `Write the name as the finding has it under "object" (verify --format json).`)
			}
		}
	}
}
