package verifier

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

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
