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

// closure are a table's name and all names that next leads to from it, step by step, the nearest first.
func (c *compiler) closure(name string, next func(*catalog.Table) []string) []string {
	names := []string{name}
	for i := 0; i < len(names); i++ {
		if table := c.tables[names[i]]; table != nil {
			for _, name := range next(table) {
				names = with(names, name)
			}
		}
	}
	return names
}

// upwards are a table and the partitioned ones above it, the nearest first.
func (c *compiler) upwards(name string) []string {
	return c.closure(name, func(t *catalog.Table) []string {
		if t.PartitionOf == "" {
			return nil
		}
		return []string{t.PartitionOf}
	})
}

// root is the name under which holds know a table: that of the top, for a partition.
func (c *compiler) root(name string) string {
	names := c.upwards(name)
	return names[len(names)-1]
}

// kin are a table, the partitioned ones above it and its partitions: a foreign key to any of them may lead
// to its rows.
func (c *compiler) kin(name string) []*catalog.Table {
	names := c.upwards(name)
	slices.Reverse(names)
	partitions := c.closure(name, func(t *catalog.Table) []string {
		if t.Kind != "partitioned" {
			return nil
		}
		return t.Children
	})
	var list []*catalog.Table
	for _, name := range append(names, partitions[1:]...) {
		if table := c.tables[name]; table != nil {
			list = append(list, table)
		}
	}
	return list
}

// family are a table, or the root that it is a partition of, and all tables below.
func (c *compiler) family(name string) []string {
	return c.closure(c.root(name), func(t *catalog.Table) []string { return t.Children })
}

// cascadesTo lists the foreign keys that change other rows when rows of a table are deleted. PostgreSQL has
// a copy of a key for each partition that it leads to; those that the table above has say nothing new.
func (c *compiler) cascadesTo(table *catalog.Table) []catalog.ForeignKey {
	var keys []catalog.ForeignKey
	for _, t := range c.kin(tableName(table)) {
		for _, key := range t.Referenced {
			changes := key.OnDelete == "cascade" || key.OnDelete == "set null" || key.OnDelete == "set default"
			known := slices.ContainsFunc(keys, func(k catalog.ForeignKey) bool {
				return k.Table == key.Table && k.OnDelete == key.OnDelete && k.RefTable != key.RefTable &&
					slices.Equal(k.Columns, key.Columns) && slices.Equal(k.RefColumns, key.RefColumns) &&
					slices.Contains(c.upwards(key.RefTable), k.RefTable)
			})
			if changes && !known {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// cascadePaths lists the paths of foreign keys along which deleting a row of table changes other
// rows. A path ends where it would enter a table again.
func (c *compiler) cascadePaths(table *catalog.Table) [][]catalog.ForeignKey {
	var paths [][]catalog.ForeignKey
	var walk func(*catalog.Table, []catalog.ForeignKey, []string)
	walk = func(from *catalog.Table, path []catalog.ForeignKey, seen []string) {
		for _, key := range c.cascadesTo(from) {
			next := append(slices.Clone(path), key)
			paths = append(paths, next)
			root, referencing := c.root(key.Table), c.tables[key.Table]
			if key.OnDelete == "cascade" && referencing != nil && !slices.Contains(seen, root) {
				walk(referencing, next, append(slices.Clone(seen), root))
			}
		}
	}
	walk(table, nil, []string{c.root(tableName(table))})
	return paths
}

// changedBy are the last keys of those paths: each leads to a table whose rows change.
func (c *compiler) changedBy(table *catalog.Table) []catalog.ForeignKey {
	var keys []catalog.ForeignKey
	for _, path := range c.cascadePaths(table) {
		keys = append(keys, path[len(path)-1])
	}
	return keys
}

// checkReach refuses a delete whose foreign keys reach a table that nobody named, or a protected one.
func (c *compiler) checkReach(step policy.Step, table *catalog.Table, cascades []policy.Table) {
	for _, reached := range c.changedBy(table) {
		root := c.root(reached.Table)
		named := slices.ContainsFunc(cascades, func(t policy.Table) bool { return t.String() == root })
		if !c.refuseProtected(step.Position, table, reached) && !named {
			c.refuse(step.Position, codeCascade, fmt.Sprintf("deleting from %q reaches %q, which is not in \"cascades\"", tableName(table), root),
				fmt.Sprintf("Foreign key %q is ON DELETE %s. If that is meant, write delete: {cascades: [%s]}.", reached.Name, strings.ToUpper(reached.OnDelete), root))
		}
	}
}

// checkInheritance refuses related rows of a table from which others inherit: their keys are not unique across
// them, and a statement goes into all.
func (c *compiler) checkInheritance(step policy.Step) {
	if step.Related == nil || step.Delete == nil && step.Update == nil {
		return
	}
	table := c.tables[step.Related.Table.String()]
	if table != nil && table.Kind == "table" && len(table.Children) > 0 {
		c.refuse(step.Position, codeTableKind, fmt.Sprintf("%q has inheritance children (%s)", step.Related.Table, strings.Join(table.Children, ", ")),
			"A step on related rows goes into them as well, where keys are not unique. Take them out of there, or give each a step of its own.")
	}
}

// checkProtected refuses changes to a table that shares rows with a protected one: a partition of
// it, the table that it is a partition of, or one that inherits from it. The reader of the file has
// refused those of the same name. Of statements, it refuses those whose deletes reach a protected table by foreign keys;
// other tables they may reach: their words are the policy's own.
func (c *compiler) checkProtected(p *policy.Policy) {
	for _, t := range p.Changes() {
		if name := c.protectedBy(t.String()); name != "" && name != t.String() {
			c.refuse(t.Position, codeProtected, fmt.Sprintf("policy %q would change rows of the protected table %q", p.Name, name),
				fmt.Sprintf("%q has rows of it. Take it out of \"protect\", or the step out of the policy.", t))
		}
	}
	for _, t := range p.StatementDeletes() {
		if table := c.tables[t.String()]; table != nil { // else refused where its rights are noted
			for _, key := range c.changedBy(table) {
				c.refuseProtected(t.Position, table, key)
			}
		}
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

// refuseProtected refuses a foreign key that leads into a protected table.
func (c *compiler) refuseProtected(at diag.Position, from *catalog.Table, key catalog.ForeignKey) bool {
	if c.protectedBy(key.Table) == "" {
		return false
	}
	c.refuse(at, codeProtected, fmt.Sprintf("deleting from %q changes the protected table %q", tableName(from), key.Table),
		fmt.Sprintf("Foreign key %q is ON DELETE %s.", key.Name, strings.ToUpper(key.OnDelete)))
	return true
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

// Notes warns of what deletes of a file that compiles will meet in the tables of a snapshot: for people
// who check a policy, since a design may want it so.
func Notes(file *policy.File, snapshot *catalog.Snapshot) diag.List {
	c := newCompiler(file, snapshot, nil)
	concerns := file.Concerns()
	for _, p := range file.Policies {
		for _, d := range p.Deletes() {
			c.noteDelete(p, d, concerns)
		}
		c.noteForeignArchives(p)
	}
	c.diags.Sort()
	return c.diags.Unique()
}

func (c *compiler) warn(at diag.Position, code, message, detail, hint string) {
	c.diags.Add(diag.Diagnostic{Severity: diag.Warning, Position: at, Code: code, Message: message, Detail: detail, Hint: hint})
}

// noteDelete is about one step that deletes, and the tables that it and its cascades take rows of.
func (c *compiler) noteDelete(p *policy.Policy, d policy.Deletion, concerns *policy.Concerns) {
	taken := c.closure(d.Table.String(), func(t *catalog.Table) []string {
		var names []string
		for _, key := range t.Referenced {
			if key.OnDelete == "cascade" {
				names = append(names, key.Table)
			}
		}
		return names
	})
	for i, name := range taken {
		t := c.tables[name]
		if t == nil {
			continue // refused elsewhere
		}
		c.noteTriggers(p, t)
		if i > 0 {
			c.notePastGuards(p, d.Table, t)
		}
		for _, key := range t.Referenced {
			c.noteIndex(p, key)
			refuses := key.OnDelete == "no action" || key.OnDelete == "restrict"
			above := func(t *catalog.Table) []string {
				return append(slices.Clone(t.Inherits), c.upwards(tableName(t))[1:]...)
			}
			if refuses && !slices.Contains(taken, key.Table) && !concerns.About(c.closure(key.Table, above), p, d.Step, key.Deferrable) {
				c.warn(p.Position, codeKeyKeeps, fmt.Sprintf("rows of %q keep rows that are due in policy %q", key.Table, p.Name),
					fmt.Sprintf("Foreign key %q to %q is ON DELETE %s: a row that is referred to is refused, and more than 100 of them fail a run.", key.Name, key.RefTable, strings.ToUpper(key.OnDelete)),
					"Write a step that deletes the rows that refer first, or a guard that keeps what they refer to.")
			}
		}
	}
}

var beforeRow = regexp.MustCompile(`^CREATE TRIGGER ("(?:[^"]|"")+"|\S+) BEFORE `)

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

// notePastGuards warns where cascades of deletes from a table take rows that a guard of another policy keeps; where that
// policy reads the table, what it keeps rows for goes with them.
func (c *compiler) notePastGuards(p *policy.Policy, from policy.Table, reached *catalog.Table) {
	for _, other := range c.file.Policies {
		guarded, guard := c.tables[other.Table.String()], firstCondition(other)
		if other == p || guard == "" || guarded == nil || c.root(tableName(guarded)) != c.root(tableName(reached)) ||
			c.readsTable(p, other.Table.String()) || c.readsTable(other, from.String()) {
			continue
		}
		c.warn(p.Position, codePastGuard, fmt.Sprintf("deletes of policy %q take rows of %q by cascade, where policy %q keeps some", p.Name, tableName(guarded), other.Name),
			fmt.Sprintf("Guard %q is not asked: a cascade takes every row that refers.", guard),
			fmt.Sprintf("Write a guard of policy %q that reads %q, or suppress this where it is meant.", p.Name, tableName(guarded)))
	}
}

// noteIndex warns where a key's table has no index for it. Where policies of the file may have made one, the
// snapshot does not say, and nothing is said here.
func (c *compiler) noteIndex(p *policy.Policy, key catalog.ForeignKey) {
	table := c.tables[key.Table]
	ours := slices.ContainsFunc(c.file.Policies, func(other *policy.Policy) bool { return other.Table.String() == key.Table })
	if table == nil || ours || c.findsRows(table, key) {
		return
	}
	columns := strings.Join(key.Columns, ", ")
	c.warn(p.Position, codeNoReferencingIndex, fmt.Sprintf("deletes of policy %q look for rows of %q without an index", p.Name, key.Table),
		fmt.Sprintf("For each row that goes, foreign key %q (%s) makes PostgreSQL read the whole table.", key.Name, columns),
		fmt.Sprintf("Unless the table stays small: CREATE INDEX CONCURRENTLY ON %s (%s), then run \"pgretain snapshot\".", key.Table, columns))
}

// findsRows says whether an index of the table, or one of each of its partitions, begins with a column of the key.
func (c *compiler) findsRows(table *catalog.Table, key catalog.ForeignKey) bool {
	if slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool { return mayFind(i, key) }) {
		return true
	}
	return table.Kind == "partitioned" && len(table.Children) > 0 && !slices.ContainsFunc(table.Children, func(name string) bool {
		child := c.tables[name]
		return child != nil && !c.findsRows(child, key)
	})
}

var notNull = regexp.MustCompile(`\("?[^"()]+"? IS NOT NULL\)`)

// mayFind is generous: only what surely does not help is no help.
func mayFind(i catalog.Index, key catalog.ForeignKey) bool {
	predicate := strings.Trim(strings.ReplaceAll(notNull.ReplaceAllString(i.Predicate, ""), "AND", ""), "() ")
	return i.Valid && predicate == "" && i.Method != "brin" && len(i.Columns) > 0 && slices.Contains(key.Columns, i.Columns[0])
}

// noteForeignArchives warns of archives on another server, which commits by itself.
func (c *compiler) noteForeignArchives(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Archive == nil {
			continue
		}
		if into := c.tables[s.Archive.Into.String()]; into != nil && into.Kind == "foreign" {
			c.warn(s.Position, codeTableKind, fmt.Sprintf("archive %q is a foreign table", s.Archive.Into),
				"The other server commits by itself: where it fails between the two commits, rows are lost or there twice.",
				"Archive into a table of this database, and move its rows from there.")
		}
	}
}
