package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
)

const maxName = 40 // leaves room in PostgreSQL's 63 bytes for what generated names add

var (
	ownName    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	systemName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	// relations of generated statements that an expression could mean instead of a table.
	generatedRelation = regexp.MustCompile(`^(boundary|part|judged|taken|(places|step)_.*)$`)
	// reserved names have a meaning in expressions; hold is the guard that is always there, passed what a step leaves.
	reserved = []string{"t", "batch", "keep", "run", "as_of", "hold", "passed"}
)

// named checks a name that the file defines: of a policy, guard, join, job or alias.
func (r *reader) named(f field, name, what string) {
	at := r.at(f.value)
	if f.key != nil && f.key.Value == name {
		at = r.at(f.key)
	}
	switch {
	case slices.Contains(reserved, name):
		r.add(codeReserved, at, fmt.Sprintf("%s name %q is reserved", what, name), "Reserved: "+strings.Join(reserved, ", ")+".", "Choose another name.")
	case !ownName.MatchString(name):
		r.add(codeName, at, fmt.Sprintf("invalid %s name %q", what, name), "", "Use lower-case letters, digits and underscores, and begin with a letter.")
	case len(name) > maxName:
		r.add(codeName, at, fmt.Sprintf("%s name %q is too long", what, name), "", fmt.Sprintf("Use at most %d characters.", maxName))
	}
}

// system checks the name of a role or schema of the install.
func (r *reader) system(f field, fallback string) string {
	if f.value == nil {
		return fallback
	}
	name, ok := r.text(f)
	if !ok {
		return fallback
	}
	if !systemName.MatchString(name) || len(name) > 50 {
		r.add(codeName, r.at(f.value), fmt.Sprintf("invalid %s name %q", f.name(), name), "", "Use at most 50 lower-case letters, digits and underscores, and begin with a letter.")
	} else if strings.HasPrefix(name, "pg_") || slices.Contains([]string{"public", "none", "cron", "information_schema"}, name) {
		r.add(codeReserved, r.at(f.value), fmt.Sprintf("%s name %q is reserved", f.name(), name), "", "Choose another name.")
	}
	return name
}

// identifier reads a name by SQL's rules, of at most max parts.
func (r *reader) identifier(f field, what string, max int) ([]string, bool) {
	text, ok := r.text(f)
	if !ok {
		return nil, false
	}
	parts, err := pgparse.Name(text)
	if err == nil && len(parts) <= max {
		return parts, true
	}
	detail := ""
	if err != nil && strings.Contains(err.Error(), "63 bytes") {
		detail = "A name has at most 63 bytes."
	}
	r.add(codeIdentifier, r.at(f.value), fmt.Sprintf("%q is not the name of %s", text, what), detail,
		"Write it as in SQL; a name with capitals, spaces or a reserved word goes in double quotes, within the YAML text.")
	return nil, false
}

// table reads schema.name or name, which is in schema public.
func (r *reader) table(f field) (Table, bool) {
	parts, ok := r.identifier(f, "a table", 2)
	if !ok {
		return Table{}, false
	}
	if len(parts) == 1 {
		parts = []string{"public", parts[0]}
	}
	return Table{Schema: parts[0], Name: parts[1], Position: r.at(f.value)}, true
}

func (r *reader) tables(f field) []Table {
	var tables []Table
	for _, item := range r.list(f) {
		t, ok := r.table(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(tables, t.same) {
			r.add(codeRunTwice, t.Position, fmt.Sprintf("table %q is already listed in %q", t, f.name()), "", "")
		}
		tables = append(tables, t)
	}
	return tables
}

// same compares names, not places.
func (t Table) same(other Table) bool { return t.Schema == other.Schema && t.Name == other.Name }
