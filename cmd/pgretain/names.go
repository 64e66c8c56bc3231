package main

import (
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// mention is a table's name where the policy file first has it.
type mention struct {
	name     string
	position diag.Position
	created  bool // by the policy, where it is missing
}

// mentions collects every table that a policy file names, in YAML or in SQL, once each.
type mentions struct {
	list    []mention
	seen    map[string]bool
	runtime string // the schema whose tables migrations make, and no snapshot holds
}

// tablesOf lists the tables of a file in the order of their first mention.
func tablesOf(file *policy.File) []mention {
	m := &mentions{seen: map[string]bool{}, runtime: file.Install.Schema}
	for _, t := range file.Protect {
		m.table(t)
	}
	for _, p := range file.Policies {
		m.policy(p)
	}
	for _, report := range file.Reports {
		for _, part := range report.Parts() {
			m.sql(part)
		}
	}
	return m.list
}

func (m *mentions) add(name string, at diag.Position) {
	if !m.seen[name] {
		m.seen[name] = true
		m.list = append(m.list, mention{name: name, position: at})
	}
}

func (m *mentions) table(t policy.Table) { m.add(t.String(), t.Position) }

// created notes that a table need not be there yet.
func (m *mentions) created(use policy.Use) {
	for i := range m.list {
		if use.Created && m.list[i].name == use.Table.String() {
			m.list[i].created = true
		}
	}
}

func (m *mentions) policy(p *policy.Policy) {
	for _, use := range p.Uses() {
		m.table(use.Table)
		m.created(use)
	}
	for _, part := range p.Parts() {
		m.sql(part)
	}
}

// sql adds the tables of a piece of SQL; it was parsed when the file was read, so that an error
// cannot happen here.
func (m *mentions) sql(part policy.Part) {
	expr, err := part.Parse()
	if err != nil {
		return
	}
	for _, t := range expr.Tables {
		if known := t.Schema == "pg_catalog" || t.Schema == "information_schema" || t.Schema == m.runtime; !known && !reserved(t) {
			m.add(strings.TrimPrefix(t.Schema+"."+t.Name, "."), part.Expr.Position)
		}
	}
}

// reserved are names that the language gives to relations of its own.
func reserved(t pgparse.TableRef) bool {
	return t.Schema == "" && (t.Name == "batch" || t.Name == "partition")
}
