package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// sessionSetting is one with which sessions of the runner begin.
type sessionSetting struct {
	Name, Value  string
	Milliseconds *float64 // of a time
	Of           string   // "role", "database", "both", "all", "server"
}

// runnersSettings are those of some names that something sets.
func (v *inspection) runnersSettings(ctx context.Context, tx pgx.Tx, names ...string) ([]sessionSetting, error) {
	return seen[sessionSetting](ctx, tx, v.query("session_settings"), v.runner(), names)
}

// resetHint takes a setting back where it is set.
func (v *inspection) resetHint(s sessionSetting) string {
	role, database := ident(v.runner()), ident(v.server.Database)
	where := map[string]string{
		"both":     fmt.Sprintf("ALTER ROLE %s IN DATABASE %s", role, database),
		"role":     fmt.Sprintf("ALTER ROLE %s", role),
		"database": fmt.Sprintf("ALTER DATABASE %s", database),
		"all":      "ALTER ROLE ALL",
		"server":   "ALTER SYSTEM",
	}[s.Of]
	hint := where + " RESET " + s.Name + ";"
	if s.Of == "server" {
		hint += " SELECT pg_reload_conf();"
	}
	return hint
}
