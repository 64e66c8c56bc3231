package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

var codeKeyOff = register("V059", Reach, "a foreign key is switched off")

// checkKeysOff: foreign keys are triggers, which a superuser can switch off, for a table or for a session.
func (v *inspection) checkKeysOff(ctx context.Context, tx pgx.Tx) error {
	for _, p := range v.file.Policies {
		for _, m := range v.graph.met(p) {
			if m.Off {
				v.keyOff(p, m)
			}
		}
	}
	type setting struct{ Value, Of string }
	rows, err := seen[setting](ctx, tx, v.query("reach_replica"), v.runner())
	for _, s := range rows {
		if s.Value != "replica" {
			continue
		}
		role, database := sqlName(v.runner()), sqlName(v.server.Database)
		reset := map[string]string{
			"both":     fmt.Sprintf("ALTER ROLE %s IN DATABASE %s", role, database),
			"role":     fmt.Sprintf("ALTER ROLE %s", role),
			"database": fmt.Sprintf("ALTER DATABASE %s", database),
			"all":      "ALTER ROLE ALL",
		}[s.Of]
		v.add(Finding{Code: codeKeyOff, Object: v.runner(), Position: v.install.Position,
			Message: fmt.Sprintf("sessions of role %q fire no triggers", v.runner()),
			Detail:  "Its session_replication_role is replica: foreign keys neither cascade nor refuse, and rows are left behind that refer to nothing.",
			Hint:    reset + " RESET session_replication_role;"})
	}
	return err
}

func (v *inspection) keyOff(p *policy.Policy, m metKey) {
	consequence := "rows that refer to deleted ones stay, and refer to nothing"
	if m.OnDelete == "a" || m.OnDelete == "r" {
		consequence = "rows go although others refer to them"
	}
	referenced := v.graph.tables[m.Referenced]
	v.add(Finding{Code: codeKeyOff, Object: m.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("foreign key %q of table %q is switched off, and policy %q deletes without it", m.Name, m.table.Name, p.Name),
		Detail:  fmt.Sprintf("A trigger of it on %q is disabled: %s. The key is ON DELETE %s. Once it is on again, look for rows of %q that refer to nothing.", referenced.Name, consequence, onDelete[m.OnDelete], m.table.Name),
		Hint:    fmt.Sprintf("ALTER TABLE %s ENABLE TRIGGER ALL;", referenced.SQL)})
}
