package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// The codes of warnings.
var (
	codeNoReferencingIndex = diag.Register("P062", "no index finds the rows that refer to deleted ones")
	codeKeyKeeps           = diag.Register("P063", "a foreign key keeps rows that are due")
	codeTriggerKeeps       = diag.Register("P064", "a trigger may keep rows that are due")
	codePastGuard          = diag.Register("P065", "a cascade takes rows that a guard keeps")
)

// Notes warns of what deletes of a file that compiles will meet in the tables of a snapshot: for people
// who check a policy, since a design may want it so.
func Notes(file *policy.File, snapshot *catalog.Snapshot) diag.List {
	c := newCompiler(file, snapshot, nil)
	concerns := file.Concerns()
	for _, p := range file.Policies {
		c.noteReach(p, concerns)
		c.noteForeignArchives(p)
	}
	c.diags.Sort()
	return c.diags.Unique()
}

// noteReach is about each step that deletes.
func (c *compiler) noteReach(p *policy.Policy, concerns *policy.Concerns) {
	for _, d := range p.Deletes() {
		table := c.tableNamed(d.Table.String())
		if table == nil {
			continue // refused elsewhere
		}
		taken := c.takenFrom(table)
		for i, t := range taken {
			c.noteTriggers(p, t)
			if i > 0 {
				c.notePastGuards(p, d.Table, t)
			}
			for _, key := range t.Referenced {
				c.noteIndex(p, key)
				refuses := key.OnDelete == "no action" || key.OnDelete == "restrict"
				if refuses && !concerns.About(c.upwards(key.Table), p, d.Step, key.Deferrable) {
					c.noteKey(p, key, taken)
				}
			}
		}
	}
}

// noteForeignArchives warns of archives on another server, which commits by itself.
func (c *compiler) noteForeignArchives(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Archive == nil {
			continue
		}
		if into := c.tableNamed(s.Archive.Into.String()); into != nil && into.Kind == "foreign" {
			c.warn(s.Position, codeTableKind, fmt.Sprintf("archive %q is a foreign table", s.Archive.Into),
				"The other server commits by itself: where it fails between the two commits, rows are lost or there twice.", "Archive into a table of this database, and move its rows from there.")
		}
	}
}

// takenFrom lists a table and all that cascades take rows of.
func (c *compiler) takenFrom(table *catalog.Table) []*catalog.Table {
	taken := []*catalog.Table{table}
	for i := 0; i < len(taken); i++ {
		for _, key := range taken[i].Referenced {
			if next := c.tableNamed(key.Table); key.OnDelete == "cascade" && next != nil && !slices.Contains(taken, next) {
				taken = append(taken, next)
			}
		}
	}
	return taken
}

// checkPastGuards refuses a policy with guards whose cascades come back to its own table, where no guard reads who
// refers to a row: what guards keep would go with what they do not.
func (c *compiler) checkPastGuards(p *policy.Policy, step policy.Step, table *catalog.Table) {
	own, guard := c.root(tableName(table)), firstCondition(p)
	for _, path := range c.cascadePaths(table) {
		key, last := path[0], path[len(path)-1]
		if guard == "" || last.OnDelete != "cascade" || c.root(last.Table) != own || c.readsTable(&policy.Policy{Keep: p.Keep}, key.Table) {
			continue
		}
		var equal []string
		for i, column := range key.Columns {
			equal = append(equal, fmt.Sprintf("c.%s = t.%s", quote.Ident(column), quote.Ident(key.RefColumns[i])))
		}
		c.refuse(step.Position, codePastGuard,
			fmt.Sprintf("rows of %q that guard %q keeps go by foreign key %q, with the rows that they refer to", own, guard, key.Name),
			fmt.Sprintf("Keep what is referred to, so that the last rows go first, as in keep: {referred_to: %q}.",
				fmt.Sprintf("EXISTS (SELECT FROM %s c WHERE %s)", key.Table, strings.Join(equal, " AND "))))
	}
}

// notePastGuards warns where cascades of deletes from a table take rows that a guard of another policy keeps; where that
// policy reads the table, what it keeps rows for goes with them.
func (c *compiler) notePastGuards(p *policy.Policy, from policy.Table, reached *catalog.Table) {
	for _, other := range c.file.Policies {
		guarded := c.tableNamed(other.Table.String())
		if other == p || firstCondition(other) == "" || guarded == nil || c.root(tableName(guarded)) != c.root(tableName(reached)) || c.readsTable(p, other.Table.String()) || c.readsTable(other, from.String()) {
			continue
		}
		c.warn(p.Position, codePastGuard, fmt.Sprintf("deletes of policy %q take rows of %q by cascade, where policy %q keeps some", p.Name, tableName(guarded), other.Name),
			fmt.Sprintf("Guard %q is not asked: a cascade takes every row that refers.", firstCondition(other)),
			fmt.Sprintf("Write a guard of policy %q that reads %q, or suppress this where it is meant.", p.Name, tableName(guarded)))
	}
}

// firstCondition is the name of a policy's first guard that looks at rows one by one; "" where it has none. A rank keeps
// some of a group, which goes as a whole with what it belongs to.
func firstCondition(p *policy.Policy) string {
	for _, g := range p.Keep {
		if g.Condition != nil {
			return g.Name
		}
	}
	return ""
}

// readsTable says whether joins or expressions of a policy name a table, one above it or a partition of it.
func (c *compiler) readsTable(p *policy.Policy, name string) bool {
	return slices.ContainsFunc(c.file.Reads(p), func(t policy.Table) bool { return c.root(t.String()) == c.root(name) })
}

func (c *compiler) warn(at diag.Position, code, message, detail, hint string) {
	c.diags.Add(diag.Diagnostic{Severity: diag.Warning, Position: at, Code: code, Message: message, Detail: detail, Hint: hint})
}

// noteIndex warns where a key's table has no index for it. Where policies of the file may have made one, the
// snapshot does not say, and nothing is said here.
func (c *compiler) noteIndex(p *policy.Policy, key catalog.ForeignKey) {
	table := c.tableNamed(key.Table)
	ours := slices.ContainsFunc(c.file.Policies, func(other *policy.Policy) bool { return other.Table.String() == key.Table })
	if table == nil || ours || c.findsRows(table, key) {
		return
	}
	columns := strings.Join(key.Columns, ", ")
	c.warn(p.Position, codeNoReferencingIndex, fmt.Sprintf("deletes of policy %q look for rows of %q without an index", p.Name, key.Table),
		fmt.Sprintf("For each row that goes, foreign key %q (%s) makes PostgreSQL read the whole table.", key.Name, columns),
		fmt.Sprintf("Unless the table stays small: CREATE INDEX CONCURRENTLY ON %s (%s), then run \"pgretain snapshot\".", key.Table, columns))
}

// findsRows says whether an index of the table, or one of each of its partitions, begins with a
// column of the key.
func (c *compiler) findsRows(table *catalog.Table, key catalog.ForeignKey) bool {
	if slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool { return mayFind(i, key) }) {
		return true
	}
	if table.Kind != "partitioned" || len(table.Children) == 0 {
		return false
	}
	for _, name := range table.Children {
		if child := c.tableNamed(name); child != nil && !c.findsRows(child, key) {
			return false
		}
	}
	return true
}

var notNull = regexp.MustCompile(`\("?[^"()]+"? IS NOT NULL\)`)

// mayFind is generous: only what surely does not help is no help.
func mayFind(i catalog.Index, key catalog.ForeignKey) bool {
	predicate := strings.Trim(strings.ReplaceAll(notNull.ReplaceAllString(i.Predicate, ""), "AND", ""), "() ")
	return i.Valid && predicate == "" && i.Method != "brin" && len(i.Columns) > 0 && slices.Contains(key.Columns, i.Columns[0])
}

// noteKey warns of a key that refuses, where nothing in the file is about the rows that refer.
func (c *compiler) noteKey(p *policy.Policy, key catalog.ForeignKey, taken []*catalog.Table) {
	if slices.ContainsFunc(taken, func(t *catalog.Table) bool { return tableName(t) == key.Table }) {
		return // its rows go as well
	}
	c.warn(p.Position, codeKeyKeeps, fmt.Sprintf("rows of %q keep rows that are due in policy %q", key.Table, p.Name),
		fmt.Sprintf("Foreign key %q to %q is ON DELETE %s: a row that is referred to is refused, and more than 100 of them fail a run.", key.Name, key.RefTable, strings.ToUpper(key.OnDelete)),
		"Write a step that deletes the rows that refer first, or a guard that keeps what they refer to.")
}

// upwards are the names of a table and of all above it.
func (c *compiler) upwards(name string) []string {
	names := []string{name}
	for i := 0; i < len(names); i++ {
		if t := c.tableNamed(names[i]); t != nil {
			names = append(names, t.Inherits...)
			if t.PartitionOf != "" {
				names = append(names, t.PartitionOf)
			}
		}
	}
	return names
}

// noteTriggers warns of triggers before each row, which may keep it by returning NULL.
func (c *compiler) noteTriggers(p *policy.Policy, table *catalog.Table) {
	for _, t := range table.Triggers {
		accepted := slices.ContainsFunc(p.Triggers, func(n policy.Name) bool { return n.Text == t.Name })
		if !accepted && beforeRow.MatchString(t.Definition) {
			c.warn(p.Position, codeTriggerKeeps, fmt.Sprintf("trigger %q of %q may keep rows that are due in policy %q", t.Name, tableName(table), p.Name),
				"It is called before each row goes, and a row for which it returns NULL stays, without an error.",
				fmt.Sprintf("Look at its function, then write \"triggers: [%s]\" in the policy.", t.Name))
		}
	}
}

var beforeRow = regexp.MustCompile(`^CREATE TRIGGER ("(?:[^"]|"")+"|\S+) BEFORE `)
