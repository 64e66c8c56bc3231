package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// cascadeKeys returns the foreign keys that change rows when rows of a table are deleted: the last
// one of each path.
func (c project) cascadeKeys(name string) []catalog.ForeignKey {
	last := func(path []catalog.ForeignKey) catalog.ForeignKey { return path[len(path)-1] }
	return lists.Map(c.tables.CascadePaths(name), last)
}

// checkReach refuses a delete whose foreign keys reach a protected table or tables that the policy
// does not name. One message lists the unnamed tables, because one line of the policy names them
// all. The parameter "before" lists the earlier steps.
func (c *compiler) checkReach(before []policy.Step, step policy.Step, from string) {
	var keys []messages.ForeignKey
	var unnamed []string
	for _, key := range c.cascadeKeys(from) {
		root := c.tables.Root(key.Table)
		named := slices.ContainsFunc(step.Delete.Cascades, func(t policy.Table) bool { return t.String() == root })
		if !c.refuseProtected(step.Position, from, key) && !named {
			unnamed = lists.AppendUnique(unnamed, root)
			keys = lists.AppendUnique(keys, messages.ForeignKey{Name: key.Name, Table: root, OnDelete: key.OnDelete})
		}
	}
	copied := c.checkCopied(before, step)
	if len(keys) > 0 {
		named := lists.Map(step.Delete.Cascades, policy.Table.String)
		c.fail(messages.CascadesReach(from, named, unnamed, keys, copied), step.Position)
	}
}

// checkCopied refuses to delete related rows if foreign keys then delete rows that an earlier step
// has copied, whether "cascades" names their table or not. It returns true if it refused the step.
// A row that is inserted after the copy would be deleted without a copy. For rows that refer to the
// policy's own rows this cannot happen, because a batch first locks all rows on the path from the
// one to the other.
func (c *compiler) checkCopied(before []policy.Step, step policy.Step) (refused bool) {
	if step.Related == nil {
		return false
	}
	deleted := lists.Map(step.Delete.Cascades, func(t policy.Table) string { return c.tables.Root(t.String()) })
	for _, key := range c.cascadeKeys(step.Related.Table.String()) {
		deleted = append(deleted, c.tables.Root(key.Table))
	}
	for _, s := range before {
		if s.Related == nil || s.Archive == nil && s.Insert == nil {
			continue
		}
		if root := c.tables.Root(s.Related.Table.String()); slices.Contains(deleted, root) {
			refused = true
			c.fail(messages.DeletedAfterCopy(root, step.Related.Table.String()), step.Position)
		}
	}
	return refused
}

// checkCopiesDeleted refuses an archive step whose related rows no step deletes or changes, in a
// policy that deletes. The rows that stay would refer to deleted rows. An insert may copy rows that
// stay, unless "cascades" names their table.
func (c *compiler) checkCopiesDeleted(p *policy.Policy) {
	var deleted, cascades []string
	for _, d := range p.Deletes() {
		deleted = append(deleted, c.tables.Root(d.Table.String()))
		for _, key := range c.cascadeKeys(d.Table.String()) {
			if key.OnDelete == "cascade" {
				deleted = append(deleted, c.tables.Root(key.Table))
			}
		}
	}
	for _, s := range p.Then {
		if s.Related != nil && s.Update != nil {
			deleted = append(deleted, c.tables.Root(s.Related.Table.String()))
		} else if s.Delete != nil {
			cascades = append(cascades, lists.Map(s.Delete.Cascades,
				func(t policy.Table) string { return c.tables.Root(t.String()) })...)
		}
	}
	for _, s := range p.Then {
		if s.Related == nil || s.Archive == nil && s.Insert == nil || len(p.Deletes()) == 0 {
			continue
		}
		root := c.tables.Root(s.Related.Table.String())
		if !slices.Contains(deleted, root) && (s.Archive != nil || slices.Contains(cascades, root)) {
			c.fail(messages.CopiedRowsStay(s.Related.Table.String(), s.Archive != nil), s.Position)
		}
	}
}

// checkProtected refuses changes to a table that shares rows with a protected table: its partition,
// its partitioned table or its inheritance child. The reader of the file refuses the protected
// table itself. checkProtected also refuses SQL steps whose deletes reach a protected table by
// foreign keys.
func (c *compiler) checkProtected(p *policy.Policy) {
	for _, t := range p.Changes() {
		if name := c.protectedBy(t.String()); name != "" && name != t.String() {
			c.fail(messages.ChangesProtectedRows(p.Name, name, t.String()), t.Position)
		}
	}
	for _, t := range p.StatementDeletes() {
		for _, key := range c.cascadeKeys(t.String()) {
			c.refuseProtected(t.Position, t.String(), key)
		}
	}
}

// protectedBy returns the protected table with which a table shares rows; "" if there is none.
func (c project) protectedBy(name string) string {
	family := c.tables.Descendants(name)
	for _, p := range c.file.Protect {
		if slices.ContainsFunc(c.tables.Descendants(p.String()),
			func(member string) bool { return slices.Contains(family, member) }) {
			return p.String()
		}
	}
	return ""
}

// refuseProtected refuses a foreign key that leads into a protected table.
func (c *compiler) refuseProtected(at diag.Position, from string, key catalog.ForeignKey) bool {
	if c.protectedBy(key.Table) == "" {
		return false
	}
	c.fail(messages.ReachesProtectedRows(from, foreignKey(key)), at)
	return true
}

// foreignKey returns a foreign key as messages name it.
func foreignKey(key catalog.ForeignKey) messages.ForeignKey {
	return messages.ForeignKey{Name: key.Name, Table: key.Table, OnDelete: key.OnDelete}
}

// checkPastGuards refuses a policy with guards whose cascades lead back to its own table, unless a
// guard reads the rows that refer to a row. A cascade would delete rows that a guard keeps.
func (c *compiler) checkPastGuards(p *policy.Policy, step policy.Step, table *catalog.Table) {
	own, guard := c.tables.Root(tableName(table)), firstCondition(p)
	for _, path := range c.tables.CascadePaths(tableName(table)) {
		key, last := path[0], path[len(path)-1]
		if guard == "" || last.OnDelete != "cascade" || c.tables.Root(last.Table) != own ||
			c.readsTable(&policy.Policy{Keep: p.Keep}, key.Table) {
			continue
		}
		var equal []string
		for i, column := range key.Columns {
			equal = append(equal, fmt.Sprintf("c.%s = t.%s", quote.Ident(column), quote.Ident(key.RefColumns[i])))
		}
		c.fail(messages.DeletesPastGuard(own, guard, foreignKey(key), equal), step.Position)
	}
}

// firstCondition returns the name of a policy's first guard with a condition on single rows; "" if
// it has none. Ranks do not count. A rank keeps some rows of a group, and a cascade deletes the
// group as a whole.
func firstCondition(p *policy.Policy) string {
	i := slices.IndexFunc(p.Keep, func(g policy.Guard) bool { return g.Condition != nil })
	if i < 0 {
		return ""
	}
	return p.Keep[i].Name
}

// readsTable reports whether joins or expressions of a policy name a table, a table above it or one
// of its partitions.
func (c project) readsTable(p *policy.Policy, name string) bool {
	return slices.ContainsFunc(c.file.Reads(p), func(t policy.Table) bool {
		return c.tables.Root(t.String()) == c.tables.Root(name)
	})
}

// grants are the privileges that policies need.
type grants struct {
	rights  []right
	granted []policy.Name // roles that may call functions for applications
}

// right is a set of privileges that the worker needs on a table, besides SELECT.
type right struct {
	table    policy.Table
	access   policy.Access
	policy   string
	position diag.Position
}

// collectRights records the privileges on tables that the policy needs.
func (w *policyCompiler) collectRights() {
	var locked []string
	// while holds exist, a run first locks the rows that refer to a row, and then deletes that row
	for _, name := range w.deletes {
		below := func(k catalog.ForeignKey) string { return w.tables.Root(k.Table) }
		locked = append(locked, lists.Map(w.cascadeKeys(name), below)...)
	}
	for _, s := range w.steps {
		if s.locked > 0 {
			locked = append(locked, tableName(s.from))
		}
	}
	if !w.policy.Partitions {
		locked = append(locked, w.policy.Table.String())
	}
	for _, use := range w.policy.Uses() {
		// a row lock needs this privilege
		use.Access.Update = use.Access.Update || slices.Contains(locked, use.Table.String())
		w.addRight(use.Table, use.Access)
	}
	for _, part := range w.policy.Fragments() {
		w.noteReads(part)
	}
	for _, e := range w.policy.Effects(len(w.steps)) {
		if e.Statement { // noteReads handles reads of pg_catalog and of the runtime
			w.relation(e.Table)
		}
	}
}

// noteReads records the tables and the names that an expression reads. An unqualified table name is
// looked up in the search path of the snapshot. If no schema there has such a table, noteReads
// refuses the name, because a table that is created later would get the name's meaning. Snapshots
// do not contain pg_catalog.
func (w *policyCompiler) noteReads(part policy.SQLFragment) {
	parsed := part.Expr.Parsed()
	w.noteNames(parsed)
	for _, ref := range parsed.Tables {
		table, at := w.lookUp(ref), part.Expr.At(ref.Offset)
		switch {
		case w.policy.Generated(ref):
		case table != nil:
			w.addRight(policy.Table{Schema: table.Schema, Name: table.Name, Position: at}, policy.Access{})
		case ref.Schema == "" && !strings.HasPrefix(ref.Name, "pg_"):
			w.refuseTable(at, ref.Name)
		case !slices.Contains([]string{"", "pg_catalog", "information_schema", w.runtimeName}, ref.Schema):
			w.refuseTable(at, ref.Schema+"."+ref.Name)
		}
	}
}

// lookUp returns a table that SQL names; nil if the snapshot lacks it.
func (c project) lookUp(ref pgparse.TableRef) *catalog.Table {
	return c.tables.LookUp(ref.Schema, ref.Name, c.file.Install.SearchPath)
}

func (w *policyCompiler) addRight(t policy.Table, access policy.Access) {
	w.rights = append(w.rights, right{t, access, w.policy.Name, w.policy.Position})
}

// privileges returns the objects for grants to the worker, one object per table and one per schema.
// It also grants USAGE on the runtime's schema to roles that call functions. With one role for
// everything it grants nothing on tables. Each grant on a table is followed by a call of
// _check_grant() in the schema "checks", unless that is "".
func (c project) privileges(of grants, checks string) []Object {
	sorted := slices.Clone(of.rights)
	slices.SortStableFunc(sorted, func(a, b right) int { return strings.Compare(a.table.String(), b.table.String()) })
	// One right for each table. It names the first policy, and has the access of all policies.
	var rights []right
	for _, r := range sorted {
		if last := len(rights) - 1; last < 0 || rights[last].table.String() != r.table.String() {
			rights = append(rights, r)
		} else {
			a, b := &rights[last].access, r.access
			*a = policy.Access{Insert: a.Insert || b.Insert, Update: a.Update || b.Update, Delete: a.Delete || b.Delete}
		}
	}
	var objects []Object
	for _, r := range rights {
		if roles := c.file.Install.Roles; !roles.None {
			objects = append(objects, usage(r.table.Schema, roles.Worker, "schema "+r.table.Schema, r.position),
				c.privilege(r, checks))
		}
	}
	for _, g := range of.granted {
		o := usage(c.schema(), g.Text, "schema "+c.schema()+" to "+g.Text, g.Position)
		o.As = AsOwner
		objects = append(objects, o)
	}
	return objects
}

// Right says which privileges a role should have on an object. Templates grant and revoke them, and
// the verifier looks for them.
type Right struct {
	Kind       sqlText       `json:"kind"` // "schema", "table" or "sequence"
	Schema     ident         `json:"schema"`
	Name       ident         `json:"name"` // "" for a schema
	Role       ident         `json:"role"`
	Privileges privilegeList `json:"privileges"`
}

// privilegeList is a list of privileges. It prints itself as in GRANT.
type privilegeList []sqlText

func (l privilegeList) String() string {
	return strings.Join(lists.Map(l, func(p sqlText) string { return string(p) }), ", ")
}

// Table returns the qualified name of a table or a sequence.
func (r Right) Table() relation { return relation{r.Schema, r.Name} }

// Object returns the name of the object as messages have it, without quotes. For a sequence it is
// SQL.
func (r Right) Object() string {
	switch r.Kind {
	case "schema":
		return string(r.Schema)
	case "sequence":
		return r.Table().String()
	}
	return string(r.Schema + "." + r.Name)
}

// privilegeData is the data of the templates "privilege" and "privilege_drop". The first of several
// rights is on a table, the others are on its sequences.
type privilegeData struct {
	Schema  sqlText // schema of the runtime; "" if the grant is not checked
	Comment sqlText // name of the table; "" for a schema
	Locks   bool    // the policies lock or update rows
	Rights  []Right
}

// privilegeObject returns an object that grants rights.
func privilegeObject(name string, data privilegeData, at diag.Position) Object {
	o := newObject(KindPrivilege, name, "privilege", data, at)
	o.Rights = data.Rights
	return o
}

// UsageOf returns the right to use the objects of a schema.
func UsageOf(schema, role string) Right {
	return Right{Kind: "schema", Schema: ident(schema), Role: ident(role), Privileges: privilegeList{"USAGE"}}
}

// usage returns the object that grants USAGE on a schema to a role. The object belongs to no
// policy, because several policies may need it.
func usage(schema, role, name string, at diag.Position) Object {
	return privilegeObject(name, privilegeData{Rights: []Right{UsageOf(schema, role)}}, at)
}

// privilege returns the object that grants the worker its privileges on a table. The snapshot may
// lack an archive that a policy creates.
func (c project) privilege(r right, checks string) Object {
	name, worker := r.table.String(), ident(c.file.Install.Roles.Worker)
	rights := []Right{{"table", ident(r.table.Schema), ident(r.table.Name), worker, privilegesOf(r.access)}}
	if known := c.tables[name]; known != nil && r.access.Insert {
		for _, s := range sequencesOf(known) {
			rights = append(rights, Right{"sequence", s.Schema, s.Name, worker, privilegeList{"USAGE"}})
		}
	}
	data := privilegeData{sqlText(checks), sqlText(quote.Comment(name)), r.access.Update, rights}
	o := privilegeObject(name, data, r.position)
	o.Policy, o.Table = r.policy, name
	return o
}

// privilegesOf returns the privileges on a table for an access.
func privilegesOf(access policy.Access) privilegeList {
	list := privilegeList{"SELECT"}
	if access.Insert {
		list = append(list, "INSERT")
	}
	if access.Update {
		list = append(list, "UPDATE")
	}
	if access.Delete {
		list = append(list, "DELETE")
	}
	return list
}

// sequencesOf returns the sequences that the defaults of a table read. An identity column needs no
// privilege on its sequence.
func sequencesOf(table *catalog.Table) (list []relation) {
	for _, column := range table.Columns {
		if parts := pgparse.NextValueOf(column.Default); len(parts) == 2 { // a snapshot names the schema
			list = append(list, relation{ident(parts[0]), ident(parts[1])})
		}
	}
	return list
}
