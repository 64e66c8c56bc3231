package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// changedTables are the tables whose rows the policy changes or takes.
func (w *work) changedTables() []string { return tableNamesOf(w.policy.Changes()) }

// statementDeletes are the tables that statements of the policy's own words delete from.
func (w *work) statementDeletes() []string { return tableNamesOf(w.policy.StatementDeletes()) }

func tableNamesOf(tables []policy.Table) []string {
	list := make([]string, len(tables))
	for i, t := range tables {
		list[i] = t.String()
	}
	return list
}

// checkProtected refuses changes to a table that shares rows with a protected one: a partition of
// it, the table that it is a partition of, or one that inherits from it. The reader of the file has
// refused those of the same name.
func (c *compiler) checkProtected(p *policy.Policy) {
	for _, t := range p.Changes() {
		if name := c.protectedBy(t.String()); name != "" && name != t.String() {
			c.refuse(t.Position, codeProtected, fmt.Sprintf("policy %q would change rows of the protected table %q", p.Name, name),
				fmt.Sprintf("%q has rows of it. Take it out of \"protect\", or the step out of the policy.", t))
		}
	}
	for _, t := range p.StatementDeletes() {
		c.checkStatementReach(t)
	}
}

// protectedBy is the protected table that a table shares rows with, "" for none.
func (c *compiler) protectedBy(name string) string {
	family := c.family(name)
	for _, p := range c.file.Protect {
		if slices.ContainsFunc(c.family(p.String()), func(member string) bool { return slices.Contains(family, member) }) {
			return p.String()
		}
	}
	return ""
}

// family are a table, or the root that it is a partition of, and all tables below.
func (c *compiler) family(name string) []string {
	for table := c.tableNamed(name); table != nil && table.PartitionOf != ""; table = c.tableNamed(name) {
		name = table.PartitionOf
	}
	members := []string{name}
	for i := 0; i < len(members); i++ {
		if table := c.tableNamed(members[i]); table != nil {
			members = append(members, table.Children...)
		}
	}
	return members
}

// checkStatementReach refuses a statement whose deletes reach a protected table by foreign keys.
// Other tables it may reach: its words are the policy's own.
func (c *compiler) checkStatementReach(t policy.Table) {
	table := c.tableNamed(t.String())
	if table == nil {
		return // refused where its rights are noted
	}
	for _, path := range c.cascadePaths(table) {
		c.refuseProtected(t.Position, table, path[len(path)-1])
	}
}

// refuseProtected refuses a foreign key that leads into a protected table.
func (c *compiler) refuseProtected(at diag.Position, from *catalog.Table, key catalog.ForeignKey) bool {
	if c.protectedBy(key.Table) == "" {
		return false
	}
	c.refuse(at, codeProtected, fmt.Sprintf("deleting from %q changes the protected table %q", tableName(from), key.Table),
		fmt.Sprintf("Foreign key %q is ON DELETE %s.", key.Name, strings.ToUpper(key.OnDelete)))
	return true
}
