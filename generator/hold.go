package generator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

func (w *work) ownDelete() policy.Step {
	for _, step := range w.policy.Then {
		if step.Delete != nil && step.Related == nil {
			return step
		}
	}
	return policy.Step{Delete: &policy.Delete{}}
}

// heldRows says that a row of t is held.
func (w *work) heldRows() sqlText {
	return fragment("held", struct {
		Schema string
		Policy literal
		AsOf   sqlText
	}{w.schema(), literal(w.policy.Name), w.asOf})
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
		return w.heldRows(), nil
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
