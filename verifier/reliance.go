package verifier

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// foreignCode is what functions of the runtime raise where a policy would run code of a role that is not trusted.
const foreignCode = "PR004"

// checkUnexpected asks what a run asks before it touches anything. A table or column that is gone has a finding of its
// own; what stops several policies is said once.
func (v *inspection) checkUnexpected(r reading) error {
	type unexpected struct{ Policy, Why string } // a difference between the catalog and what a policy relies on, and what to do about it
	var order []string
	stopped := map[string][]*policy.Policy{}
	err := each(r, "unexpected", func(u unexpected) {
		if v.found(u.Policy, codeNoTable, codeNoColumn, codeNotCopied, codeExpression) {
			return
		}
		if stopped[u.Why] == nil {
			order = append(order, u.Why)
		}
		stopped[u.Why] = append(stopped[u.Why], v.policies[u.Policy])
	}, v.policyNames())
	for _, text := range order {
		why, hint, found := strings.Cut(text, "; ")
		switch {
		case !found:
			hint = `Take the table out of "protect", or out of the policy.`
		case strings.HasPrefix(hint, "list"):
			hint = `List the role under "trust" of the install, or give what it owns to another role.`
		case strings.HasPrefix(hint, "undo"):
			hint = `Undo it, or run "pgretain snapshot", then "pgretain generate", and migrate.`
		case strings.HasPrefix(hint, "rows"):
			hint = "Take the policy out, or run it where the rows are."
		default:
			hint += ";"
		}
		first, policies := stopped[text][0], "policy %s was"
		if len(stopped[text]) > 1 {
			policies = "policies %s were"
		}
		names := strings.Join(mapped(stopped[text], func(p *policy.Policy) string { return quoted(p.Name) }), ", ")
		v.add(message{Code: codeUnexpected, Object: first.Table.String(), Policy: first.Name, Position: first.Position, Hint: hint,
			Message: fmt.Sprintf(policies+" not made for this catalog: %s", names, why), Detail: "Runs trip and touch nothing until that is mended."})
	}
	return err
}

// secured is a table whose row security stands in the way of who reads it.
type secured struct {
	N               int
	Name, SQL, Role string
	Views           *string
	Forced          bool
	Owner           string
}

// secureReader is a policy or report whose functions read tables: those that are named, and those of expressions,
// whose schema is "" where the search path says which it is.
type secureReader struct {
	kind, name string
	position   diag.Position
}

// checkRowSecurity: the generated functions run with row_security = off, so that they fail where rows would be
// hidden from them. What foreign keys do is done as the table's owner, past any row security.
func (v *inspection) checkRowSecurity(r reading) error {
	schemas, names := []string{}, []string{}
	asked := map[policy.Table]int{}
	var readers [][]secureReader // by name that is asked for
	add := func(reader secureReader, t policy.Table) {
		t.Position = diag.Position{}
		n, known := asked[t]
		if !known {
			n = len(names)
			asked[t] = n
			schemas, names, readers = append(schemas, t.Schema), append(names, t.Name), append(readers, nil)
		}
		readers[n] = append(readers[n], reader)
	}
	addParts := func(reader secureReader, parts []policy.Part) {
		for _, part := range parts {
			for _, t := range part.Tables() {
				add(reader, t)
			}
		}
	}
	for _, p := range v.file.Policies {
		reader := secureReader{"policy", p.Name, p.Position}
		for _, use := range p.Uses() {
			add(reader, use.Table)
		}
		addParts(reader, p.Parts())
	}
	for _, q := range v.file.Reports {
		addParts(secureReader{"report", q.Name, q.Position}, q.Parts())
	}
	return each(r, "reach_row_security", func(s secured) {
		for _, reader := range readers[s.N-1] {
			v.hidden(reader, s)
		}
	}, schemas, names, v.install.SearchPath, v.worker())
}

func (v *inspection) hidden(by secureReader, s secured) {
	through := ""
	if s.Views != nil {
		through = " through " + *s.Views
	}
	f := message{Code: codeRowSecurity, Object: s.Name, Policy: by.name, Position: by.position,
		Message: fmt.Sprintf("row security of table %q stops %s %q", s.Name, by.kind, by.name),
		Detail:  fmt.Sprintf("Its functions read the table%s as role %q, which row security is for: they fail (42501) instead of passing by rows that they cannot see.", through, s.Role),
		Hint:    fmt.Sprintf("ALTER ROLE %s BYPASSRLS;", quote.Ident(s.Role))}
	if s.Forced && s.Role == s.Owner {
		f.Detail += " It is forced on the table's owner, too."
		f.Hint = fmt.Sprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY; or %s", s.SQL, f.Hint)
	}
	v.add(f)
}

// unidentified is a published table whose rows PostgreSQL refuses to delete or update.
type unidentified struct {
	Table                     uint32
	Event, Publication, Wrong string
	PrimaryKey                bool
}

func (v *inspection) checkIdentities(r reading) error {
	var tables []uint32
	var events []string
	for _, p := range v.graph.policies {
		for _, e := range p.effects {
			if e.event != "INSERT" {
				tables, events = append(tables, e.table.OID), append(events, e.event)
			}
		}
	}
	type change struct {
		table uint32
		event string
	}
	found := map[change][]unidentified{}
	err := each(r, "reach_identity", func(u unidentified) {
		c := change{u.Table, u.Event}
		found[c] = append(found[c], u)
	}, tables, events)
	for _, p := range v.graph.policies {
		for _, e := range p.effects {
			for _, u := range found[change{e.table.OID, e.event}] {
				v.notIdentified(p, e, u)
			}
		}
	}
	return err
}

func (v *inspection) notIdentified(p *policyReach, e reachEffect, u unidentified) {
	why, code, full := "the table has no replica identity", "55000", "FULL"
	if u.PrimaryKey {
		full = "DEFAULT"
	}
	f := message{Code: codeIdentity, Object: e.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("policy %q cannot %s rows of published table %q", p.Name, strings.ToLower(e.event), e.table.Name),
		Hint:    fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY %s;", e.table.SQL, full)}
	switch u.Wrong {
	case "filter":
		why, code = "its WHERE reads columns that are not in the table's replica identity", "42P10"
		f.Hint = fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY FULL;", e.table.SQL)
	case "columns":
		why, code = "its columns lack some of the table's replica identity", "42P10"
		f.Hint = "Name all columns of the replica identity in the publication, or publish all columns."
	}
	f.Detail = fmt.Sprintf("Publication %q publishes each %s, and %s: PostgreSQL refuses it (%s).%s", u.Publication, e.event, why, code, e.way())
	v.add(f)
}
