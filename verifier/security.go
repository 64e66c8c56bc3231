package verifier

import (
	"context"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// RowSecurity returns a warning for each table of a policy whose row security will stop the policy
// on this server. The warning says who can let the worker bypass it there.
func RowSecurity(ctx context.Context, tx inspect.Querier, file *policy.File, snapshot *catalog.Snapshot,
) (list diag.List, err error) {
	if file.Install.Roles.None || snapshot == nil {
		return nil, nil
	}
	tables := snapshot.Graph()
	named := map[string][]policy.NamedTable{}
	var names []string
	for _, n := range file.NamedTables() {
		if t := tables[n.Table.String()]; n.Of != "" && t != nil && t.RowSecurity {
			named[t.String()], names = append(named[t.String()], n), append(names, t.String())
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	worker := file.Install.Roles.Worker
	hidden, err := inspect.HiddenFrom(ctx, tx, worker, names)
	for _, h := range hidden {
		for _, n := range named[h.Table] {
			d := messages.RowSecurityHere(n.Kind, n.Of, h.Table, worker, h.Major, h.Givers)
			d.Position = n.Position
			list.Add(d)
		}
	}
	return list.Unique(), err
}
