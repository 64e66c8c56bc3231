package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
	"pgretain/policy"
)

var codeRowSecurity = register("V055", Reach, "row security stops the functions of a policy")

// secured is a table whose row security stands in the way of who reads it.
type secured struct {
	N               int
	Name, SQL, Role string
	Views           *string
	Forced          bool
	Owner           string
}

// secureReader is a policy or report whose functions read tables.
type secureReader struct {
	kind, name string
	position   diag.Position
	tables     []policy.Table
}

func (v *inspection) secureReaders() []secureReader {
	var list []secureReader
	for _, p := range v.file.Policies {
		list = append(list, secureReader{"policy", p.Name, p.Position, readTables(p.Uses(), p.Parts())})
	}
	for _, r := range v.file.Reports {
		list = append(list, secureReader{"report", r.Name, r.Position, readTables(nil, r.Parts())})
	}
	return list
}

// checkRowSecurity: the generated functions run with row_security = off, so that they fail where rows would be
// hidden from them. What foreign keys do is done as the table's owner, past any row security.
func (v *inspection) checkRowSecurity(ctx context.Context, tx pgx.Tx) error {
	schemas, names := []string{}, []string{}
	asked := map[policy.Table]int{}
	var readers [][]secureReader // by name that is asked for
	for _, reader := range v.secureReaders() {
		for _, t := range reader.tables {
			t = policy.Table{Schema: t.Schema, Name: t.Name}
			n, known := asked[t]
			if !known {
				n = len(names)
				asked[t] = n
				schemas, names, readers = append(schemas, t.Schema), append(names, t.Name), append(readers, nil)
			}
			readers[n] = append(readers[n], reader)
		}
	}
	rows, err := seen[secured](ctx, tx, v.query("reach_row_security"), schemas, names, v.install.SearchPath, v.owner())
	for _, r := range rows {
		for _, reader := range readers[r.N-1] {
			v.hidden(reader, r)
		}
	}
	return err
}

func (v *inspection) hidden(by secureReader, r secured) {
	through := ""
	if r.Views != nil {
		through = " through " + *r.Views
	}
	f := Finding{Code: codeRowSecurity, Object: r.Name, Policy: by.name, Position: by.position,
		Message: fmt.Sprintf("row security of table %q stops %s %q", r.Name, by.kind, by.name),
		Detail:  fmt.Sprintf("Its functions read the table%s as role %q, which row security is for: they fail (42501) instead of passing by rows that they cannot see.", through, r.Role),
		Hint:    fmt.Sprintf("ALTER ROLE %s BYPASSRLS;", sqlName(r.Role))}
	if r.Forced && r.Role == r.Owner {
		f.Detail += " It is forced on the table's owner, too."
		f.Hint = fmt.Sprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY; or %s", r.SQL, f.Hint)
	}
	v.add(f)
}
