package generator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// hop is one table between a hold and the row that a delete would reach it from.
type hop struct {
	Table, Alias sqlText
	On           []sqlText
}

// compileHolds says when a row of t is held: itself, or a row that its deletion would take or
// change through foreign keys.
func (w *work) compileHolds() {
	if w.policy.Partitions {
		w.holds = w.partitionHolds()
		return
	}
	w.holds = w.holdsOn(w.table, "t", w.deletes())
}

func (w *work) ownDelete() policy.Step {
	for _, step := range w.policy.Then {
		if step.Delete != nil && step.Related == nil {
			return step
		}
	}
	return policy.Step{Delete: &policy.Delete{}}
}

// holdsKey is what the conditions depend on, within one policy file.
type holdsKey struct {
	table       string
	alias, asOf sqlText
	deletes     bool
}

// holdsOn lists the conditions under which changing or, with deletes, deleting the row of table called alias
// would touch a held row.
func (w *work) holdsOn(table *catalog.Table, alias sqlText, deletes bool) []sqlText {
	key := holdsKey{tableName(table), alias, w.asOf, deletes}
	if known, ok := w.heldOn.Load(key); ok {
		return known.([]sqlText)
	}
	holds := w.held(table, alias, nil, nil)
	if deletes {
		for _, path := range w.cascadePaths(table) {
			if w.tableNamed(path[len(path)-1].Table) != nil {
				holds = append(holds, w.heldAlong(path, table, alias)...)
			}
		}
	}
	w.heldOn.Store(key, slices.Clip(holds))
	return slices.Clip(holds)
}

// holdData is what the templates of a hold's guard read. Match ties the row of t to the hops, or to
// the hold where there are none; Alias is the row that the hold is on.
type holdData struct {
	Schema      string
	Name        literal
	Alias, AsOf sqlText
	Hops        []hop
	Match       []sqlText
}

// held says when the row called alias is held: by its key, where its table has one, and by the value
// of a column.
func (w *work) held(table *catalog.Table, alias sqlText, hops []hop, match []sqlText) []sqlText {
	d := holdData{w.schema(), literal(w.root(tableName(table))), alias, w.asOf, hops, match}
	byOwner := fragment("held by owner", d)
	if len(table.PrimaryKey) == 0 {
		return []sqlText{byOwner}
	}
	d.Hops = slices.Clone(hops)
	if key := holdKey(table, alias); len(hops) > 0 {
		d.Hops[0].On = []sqlText{key}
	} else {
		d.Match = []sqlText{key}
	}
	return []sqlText{fragment("held", d), byOwner}
}

func hopAlias(i int) sqlText { return sqlText(fmt.Sprintf("reached_%d", i+1)) }

func holdKey(table *catalog.Table, alias sqlText) sqlText {
	columns := make([]ident, len(table.PrimaryKey))
	for i, name := range table.PrimaryKey {
		columns[i] = ident(name)
	}
	return fragment("hold key", struct {
		Alias   sqlText
		Columns []ident
	}{alias, columns})
}

// equalColumns ties the referencing columns of a foreign key to the referenced ones.
func equalColumns(key catalog.ForeignKey, referencing, referenced sqlText) []sqlText {
	var on []sqlText
	for i := range key.Columns {
		on = append(on, fragment("equal", struct {
			LeftAlias, RightAlias sqlText
			Left, Right           ident
		}{referencing, referenced, ident(key.Columns[i]), ident(key.RefColumns[i])}))
	}
	return on
}

// checkReach refuses a delete whose foreign keys reach a table that nobody named, or a protected
// one.
func (c *compiler) checkReach(step policy.Step, table *catalog.Table, cascades []policy.Table) {
	for _, path := range c.cascadePaths(table) {
		reached := path[len(path)-1]
		root := c.root(reached.Table)
		named := slices.ContainsFunc(cascades, func(t policy.Table) bool { return t.String() == root })
		if !c.refuseProtected(step.Position, table, reached) && !named {
			c.refuse(step.Position, codeCascade, fmt.Sprintf("deleting from %q reaches %q, which is not in \"cascades\"", tableName(table), root),
				fmt.Sprintf("Foreign key %q is ON DELETE %s. If that is meant, write delete: {cascades: [%s]}.", reached.Name, strings.ToUpper(reached.OnDelete), root))
		}
	}
}

// guardVerdict is what keep.<name> means in a rank: whether the guard keeps the row.
func (w *work) guardVerdict(name string) (sqlText, error) {
	if name == "hold" {
		return either(w.holds), nil
	}
	for _, g := range w.guards {
		switch {
		case g.name != name:
		case g.cond != "":
			return fragment("not false", g.scalar), nil
		case g.rank != nil:
			return fragment("ranked within", g.rank), nil
		}
	}
	return "", errors.New("keep." + name + " is not known here")
}

// holdTables are the tables whose holds concern a policy.
func (w *work) holdTables() []string {
	names := append([]string{tableName(w.table)}, w.relatedTables()...)
	for _, name := range w.reach() {
		names = with(names, name)
	}
	return names
}

// relatedTables lists the tables of steps on related rows, as holds name them.
func (w *work) relatedTables() []string {
	names := []string{}
	for _, step := range w.policy.Then {
		if (step.Delete != nil || step.Update != nil) && step.Related != nil {
			names = with(names, w.root(step.Related.Table.String()))
		}
	}
	return names
}

// reach lists the tables of every "cascades", as holds name them.
func (w *work) reach() []string {
	names := []string{}
	for _, step := range w.policy.Then {
		if step.Delete == nil {
			continue
		}
		for _, t := range step.Delete.Cascades {
			names = with(names, w.root(t.String()))
		}
	}
	return names
}

func with(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
