package verifier

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/policy"
)

func (v *inspection) reachGroups() []group {
	return append([]group{
		{about: "holds", codes: []string{codeUnfitHold}, check: v.checkUnfitHolds},
		{about: "what policies rely on", codes: []string{codeUnexpected}, check: v.checkUnexpected, policies: v.policyNames()},
	}, v.graphGroups()...)
}

// deletes are the tables that a policy's steps delete from. What refers to a partition keeps it.
func deletes(p *policy.Policy) []string {
	var from []string
	for _, s := range p.Then {
		switch {
		case s.Delete == nil:
			continue
		case s.Related != nil:
			from = append(from, s.Related.Table.String())
		default:
			from = append(from, p.Table.String())
		}
	}
	return from
}

// readTables are the tables that functions read or write: those that are named, and those of expressions,
// whose schema is "" where the search path says which it is.
func readTables(uses []policy.Use, parts []policy.Part) []policy.Table {
	var list []policy.Table
	for _, use := range uses {
		list = append(list, use.Table)
	}
	for _, part := range parts {
		list = append(list, part.Tables()...)
	}
	return list
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// sqlName is a name as people write it in SQL: quoted where it has to be.
func sqlName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return quote.Ident(name)
}

// reachTable is a table that a policy names, one below it, or one that refers to it by foreign keys.
type reachTable struct {
	OID       uint32
	Name, SQL string // schema.name, and as SQL writes it
	Kind      string // pg_class.relkind
	Partition bool
	Above     []uint32
}

// reachKey is a foreign key, as it was declared, to one table. Declared is the table that it names;
// Referenced may be a partition of that.
type reachKey struct {
	OID                         uint32
	Name                        string
	Table, Referenced, Declared uint32
	Columns                     []string // as SQL writes them
	OnDelete                    string   // pg_constraint.confdeltype
	Deferred                    bool     // checked at the end of the transaction
	Off                         bool     // its trigger is switched off
	OffTriggers                 []string // these, as SQL writes them
	Strict                      []string // columns that it would set to NULL, and that are NOT NULL
}

// refuses says whether the key keeps what is referred to.
func (k *reachKey) refuses() bool { return k.OnDelete == "a" || k.OnDelete == "r" || len(k.Strict) > 0 }

// onDelete are the words for pg_constraint.confdeltype.
var onDelete = map[string]string{"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}

// reachGraph is what deletes of all policies may meet: read once, and walked for each policy.
type reachGraph struct {
	tables map[uint32]*reachTable
	byName map[string][]*reachTable
	below  map[uint32][]*reachTable
	keys   map[uint32][]*reachKey // by the table that they refer to
	walks  map[uint32]*walk
	known  map[uint32]*reachKey // by oid

	concerns *policy.Concerns
}

func (v *inspection) readGraph(ctx context.Context, tx pgx.Tx) error {
	tables, err := seen[reachTable](ctx, tx, v.query("reach_tables"), touchedNames(v.file.Policies))
	if err != nil {
		return err
	}
	g := &reachGraph{map[uint32]*reachTable{}, map[string][]*reachTable{}, map[uint32][]*reachTable{}, map[uint32][]*reachKey{},
		map[uint32]*walk{}, map[uint32]*reachKey{}, v.file.Concerns()}
	for i := range tables {
		g.add(&tables[i])
	}
	keys, err := seen[reachKey](ctx, tx, v.query("reach_keys"), g.oids())
	for i := range keys {
		if k := &keys[i]; g.tables[k.Table] != nil { // else it came meanwhile
			g.keys[k.Referenced] = append(g.keys[k.Referenced], k)
			g.known[k.OID] = k
		}
	}
	if err == nil {
		v.graph = g
	}
	return err
}

func (g *reachGraph) add(t *reachTable) {
	g.tables[t.OID] = t
	g.byName[t.Name] = append(g.byName[t.Name], t)
	for _, above := range t.Above {
		g.below[above] = append(g.below[above], t)
	}
}

func (g *reachGraph) oids() []uint32 { return slices.Sorted(maps.Keys(g.tables)) }

// touchedNames are the tables that the policies name, outside of expressions.
func touchedNames(policies []*policy.Policy) []string {
	names := []string{}
	for _, p := range policies {
		for _, use := range p.Uses() {
			names = append(names, use.Table.String())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// graphGroups are the checks of what deletes meet, and before them what most of them go by.
func (v *inspection) graphGroups() []group {
	groups := []group{
		{about: "indexes on the referencing side of foreign keys", codes: []string{codeReferencingIndex}, check: v.checkReferencingIndexes},
		{about: "foreign keys that keep rows", codes: []string{codeBlocked}, check: v.checkBlocked},
		{about: "triggers of the application", codes: []string{codeTrigger}, check: v.checkTriggers},
		{about: "replica identities", codes: []string{codeIdentity}, check: v.checkIdentities},
		{about: "foreign keys that are switched off", codes: []string{codeKeyOff}, check: v.checkKeysOff},
	}
	first := group{about: "what is within reach of deletes", check: v.readGraph, policies: v.policyNames()}
	for i, g := range groups {
		first.codes = append(first.codes, g.codes...)
		groups[i].policies = v.policyNames()
		groups[i].check = func(ctx context.Context, tx pgx.Tx) error {
			if v.graph == nil {
				return nil // it could not be read, and that is said
			}
			return g.check(ctx, tx)
		}
	}
	security := group{about: "row security", codes: []string{codeRowSecurity}, check: v.checkRowSecurity, policies: v.policyNames()}
	return append([]group{first, security}, groups...)
}

// reachEffect is a table whose rows statements of a policy change, by DELETE, UPDATE or INSERT.
type reachEffect struct {
	table *reachTable
	event string
	named bool   // a statement names the table; otherwise it is below one that does
	path  string // how foreign keys lead there
}

// way is the path, for the end of a detail, where foreign keys lead to the table.
func (e reachEffect) way() string {
	if !strings.Contains(e.path, " -> ") {
		return ""
	}
	return fmt.Sprintf(" The path is %s.", e.path)
}

// metKey is a foreign key that deleted rows have to do with.
type metKey struct {
	*reachKey
	table *reachTable // that refers
	path  string      // ends with the table that it refers to
}

// walk is what deleting rows of one table does, to any depth.
type walk struct {
	graph   *reachGraph
	effects []reachEffect
	met     []metKey
	next    []reachEffect // deletes whose keys are still to be followed
}

// deleting walks from a table; walks are shared by policies.
func (g *reachGraph) deleting(from *reachTable) *walk {
	if w := g.walks[from.OID]; w != nil {
		return w
	}
	w := &walk{graph: g}
	g.walks[from.OID] = w
	w.take(reachEffect{from, "DELETE", true, from.Name}, true)
	for len(w.next) > 0 {
		e := w.next[0]
		w.next = w.next[1:]
		for _, key := range g.keys[e.table.OID] {
			w.follow(e, key)
		}
	}
	return w
}

// take notes an effect on a table and on what is below it: partitions, and where a statement of ours
// does not say ONLY, also tables that inherit.
func (w *walk) take(e reachEffect, children bool) {
	if slices.ContainsFunc(w.effects, func(known reachEffect) bool { return known.table == e.table && known.event == e.event }) {
		return
	}
	w.effects = append(w.effects, e)
	if e.event == "DELETE" {
		w.next = append(w.next, e)
	}
	for _, below := range w.graph.below[e.table.OID] {
		if below.Partition || children {
			w.take(reachEffect{below, e.event, false, e.path}, children)
		}
	}
}

// follow notes a key, and what it does where that is more than to refuse.
func (w *walk) follow(e reachEffect, key *reachKey) {
	path := e.path
	if key.Declared == e.table.OID && !e.named {
		path += " -> " + e.table.Name
	}
	table := w.graph.tables[key.Table]
	if i := slices.IndexFunc(w.met, func(m metKey) bool { return m.OID == key.OID }); i < 0 {
		copied := *key
		w.met = append(w.met, metKey{&copied, table, path})
	} else {
		w.met[i].Off = w.met[i].Off || key.Off // each partition has its own triggers
		return
	}
	path = fmt.Sprintf("%s -> %s (%s)", path, table.Name, key.Name)
	switch {
	case key.Off || len(key.Strict) > 0:
	case key.OnDelete == "c":
		w.take(reachEffect{table, "DELETE", true, path}, false)
	case key.OnDelete == "n" || key.OnDelete == "d":
		w.take(reachEffect{table, "UPDATE", true, path}, false)
	}
}

// deletion is a table that a step of a policy deletes from.
type deletion struct {
	table *reachTable
	step  int
}

func (g *reachGraph) deletions(p *policy.Policy) []deletion {
	var list []deletion
	for _, d := range p.Deletes() {
		for _, table := range g.byName[d.Table.String()] {
			list = append(list, deletion{table, d.Step})
		}
	}
	return list
}

// met lists the keys that deletes of a policy have to do with, each once.
func (g *reachGraph) met(p *policy.Policy) []metKey {
	var list []metKey
	for _, d := range g.deletions(p) {
		for _, m := range g.deleting(d.table).met {
			if !slices.ContainsFunc(list, func(known metKey) bool { return known.OID == m.OID }) {
				list = append(list, m)
			}
		}
	}
	return list
}

// effects lists what the statements of a policy change, each table and event once.
func (g *reachGraph) effects(p *policy.Policy) []reachEffect {
	var all walk
	all.graph = g
	for _, d := range g.deletions(p) {
		for _, e := range g.deleting(d.table).effects {
			all.note(e)
		}
	}
	for _, use := range p.Uses() {
		for _, table := range g.byName[use.Table.String()] {
			if use.Access.Update {
				all.take(reachEffect{table, "UPDATE", true, table.Name}, true)
			}
			if use.Access.Insert {
				all.take(reachEffect{table, "INSERT", true, table.Name}, false)
			}
		}
	}
	return all.effects
}

func (w *walk) note(e reachEffect) {
	for i, known := range w.effects {
		if known.table == e.table && known.event == e.event {
			w.effects[i].named = known.named || e.named
			return
		}
	}
	w.effects = append(w.effects, e)
}

var codeUnexpected = register("V050", Reach, "the catalog is not what a policy was made for")

// foreignCode is what functions of the runtime raise where a policy would run code of a role that is not trusted.
const foreignCode = "PR004"

// unexpected is one difference between the catalog and what a policy relies on, and what to do about it.
type unexpected struct{ Policy, Why string }

// checkUnexpected asks what a run asks before it touches anything. A table or column that is gone has a finding of its
// own; what stops several policies is said once.
func (v *inspection) checkUnexpected(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[unexpected](ctx, tx, v.query("unexpected"), v.policyNames())
	var order []string
	stopped := map[string][]*policy.Policy{}
	for _, u := range rows {
		if p := v.policy(u.Policy); !v.found(p, codeNoTable, codeNoColumn, codeNotCopied, codeExpression) {
			if stopped[u.Why] == nil {
				order = append(order, u.Why)
			}
			stopped[u.Why] = append(stopped[u.Why], p)
		}
	}
	for _, text := range order {
		why, mend, found := strings.Cut(text, "; ")
		switch {
		case !found:
			v.notMadeFor(stopped[text], why, `Take the table out of "protect", or out of the policy.`)
		case strings.HasPrefix(mend, "list"):
			v.notMadeFor(stopped[text], why, `List the role under "trust" of the install, or give what it owns to another role.`)
		case strings.HasPrefix(mend, "undo"):
			v.notMadeFor(stopped[text], why, `Undo it, or run "pgretain snapshot", then "pgretain generate", and migrate.`)
		case strings.HasPrefix(mend, "rows"):
			v.notMadeFor(stopped[text], why, "Take the policy out, or run it where the rows are.")
		default:
			v.notMadeFor(stopped[text], why, mend+";")
		}
	}
	return err
}

func (v *inspection) notMadeFor(stopped []*policy.Policy, why, hint string) {
	first, names := stopped[0], make([]string, len(stopped))
	for i, p := range stopped {
		names[i] = quoted(p.Name)
	}
	message := fmt.Sprintf("policy %s was not made for this catalog: %s", names[0], why)
	if len(names) > 1 {
		message = fmt.Sprintf("policies %s were not made for this catalog: %s", strings.Join(names, ", "), why)
	}
	v.add(Finding{Code: codeUnexpected, Object: first.Table.String(), Policy: first.Name, Position: first.Position, Hint: hint,
		Message: message, Detail: "Runs trip and touch nothing until that is mended."})
}
