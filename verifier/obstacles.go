package verifier

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// Obstacles returns an error for everything that it finds in a database that would stop a migration
// when it installs the given policies. The runtime need not be installed. The errors are about
// roles whose code a run would execute, and about row security.
func Obstacles(ctx context.Context, conn *pgx.Conn, file *policy.File, objects []generator.Object) (list diag.List,
	err error) {
	if len(objects) == 0 {
		return nil, nil
	}
	v := &inspection{file: file, install: file.Install, opt: Options{Timeout: time.Minute},
		policies: map[string]*policy.Policy{}}
	for _, p := range file.Policies {
		v.policies[p.Name] = p
	}
	owner := file.Install.Roles.Owner
	v.server.SchemaOwner = conn.Config().User
	if file.Install.Roles.None {
		owner = conn.Config().User
	}
	rows := lists.Map(objects, func(o generator.Object) row { return row{"policy": o.Name, "row": o.Row} })
	trust := lists.Map(file.Install.Trust, func(n policy.Name) string { return n.Text })
	add := func(code diag.Code) func(finding) {
		return func(f finding) {
			given := func(o generator.Object) bool { return o.Name == f.Policy }
			if slices.ContainsFunc(objects, given) {
				list.Add(diag.Diagnostic{Code: code, Severity: diag.Error, Position: v.position(f.Policy),
					Policy: f.Policy, Object: f.Object, Message: f.Message, Detail: f.Detail, Hint: f.Hint})
			}
		}
	}
	err = v.read(ctx, conn, func(r reading) error {
		err := eachNamed(r, "obstacles", add(diag.Code{}), rows, v.install.SearchPath, owner, trust)
		if err == nil {
			err = eachNamed(r, "reach_row_security", add(messages.CodeRowSecurity), v.readTables(),
				v.install.SearchPath,
				v.worker())
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for what would stop the migrations: %w", err)
	}
	return list, nil
}
