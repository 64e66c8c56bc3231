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
	trust := lists.Map(file.Install.Trust, policy.Name.String)
	add := func(m message) {
		if slices.ContainsFunc(objects, func(o generator.Object) bool { return o.Name == m.Policy }) {
			m.Severity, m.Position = diag.Error, v.position(m.Policy)
			list.Add(m)
		}
	}
	err = v.read(ctx, conn, func(r reading) error {
		err := eachFact(r, "obstacles", func(o messages.Obstacle) { add(messages.StopsMigration(o)) }, rows,
			v.install.SearchPath, owner, trust)
		if err == nil {
			err = eachFact(r, "reach_row_security", func(s messages.Secured) { add(messages.RowSecurity(s)) },
				v.readTables(), v.install.SearchPath, v.worker())
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for what would stop the migrations: %w", err)
	}
	return list, nil
}
