package verifier

import (
	"context"
	"fmt"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// RowSecurity returns a warning for each table of a policy whose row security will stop the policy
// on this server. The warning says who can let the worker bypass it there. The parameter "roles"
// has the roles of the install.
func RowSecurity(ctx context.Context, tx inspect.Querier, file *policy.File, roles policy.Roles,
	snapshot *catalog.Snapshot) (list diag.List, err error) {
	if roles.None || snapshot == nil {
		return nil, nil
	}
	secured := map[string]bool{}
	for _, t := range snapshot.Tables {
		secured[t.String()] = t.RowSecurity
	}
	named := map[string][]policy.NamedTable{}
	var names []string
	for _, n := range file.NamedTables() {
		if table := n.Table.String(); n.Of != "" && secured[table] {
			named[table], names = append(named[table], n), append(names, table)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	worker := roles.Worker
	hidden, err := inspect.HiddenFrom(ctx, tx, worker, names)
	for _, h := range hidden {
		who := "Only a superuser can let it here, which on a managed server is the provider."
		if len(h.Givers) > 0 {
			who = "Here superusers can let it, and " + strings.Join(lists.Map(h.Givers, quoted), ", ") + "."
		}
		for _, n := range named[h.Table] {
			list.Add(diag.Diagnostic{Code: messages.CodeRowSecurity, Severity: diag.Warning, Policy: n.Of,
				Position: n.Position,
				Message:  fmt.Sprintf("row security of table %q will stop %s %q", h.Table, n.Kind, n.Of),
				Detail: fmt.Sprintf("Role %q may not bypass row security on this server, which is PostgreSQL %d. %s",
					worker, h.Major, who),
				Hint: fmt.Sprintf("ALTER ROLE %s BYPASSRLS; or set install.roles to none, and migrate as the owner "+
					"of the table.", quote.Ident(worker))})
		}
	}
	return list.Unique(), err
}
