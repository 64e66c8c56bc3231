package kit

import (
	_ "embed"
	"fmt"
	"slices"
	"testing"

	"pgretain/internal/quote"
	"pgretain/tests/pgtest"
)

//go:embed catalog.sql
var catalogSQL string

// registered lists the tables of the runtime into which migrations write rows. It maps each table
// to its volatile columns, separated by commas. The values of volatile columns depend on the
// time or place of the installation, or on the files.
var registered = map[string]string{
	"install":          "system_identifier,database_name,adopted_at,adopted_by,server,state",
	"policy":           "installed_at",
	"job":              "installed_at",
	"index_definition": "built_at",
}

// Catalog returns everything in a database that migrations can change, one line per object, sorted:
// schemas, relations, columns, constraints, indexes, views, routines, triggers, row security,
// owners, privileges and comments. It adds the rows that migrations write into the runtime's
// schema, and the jobs of pg_cron.
func Catalog(t testing.TB, db *pgtest.DB, schema string) []string {
	t.Helper()
	lines := pgtest.Column[string](t, db, catalogSQL)
	for table, volatile := range registered {
		if !pgtest.Value[bool](t, db, "SELECT to_regclass($1) IS NOT NULL", quote.Qualified(schema, table)) {
			continue
		}
		lines = append(lines, pgtest.Column[string](t, db, fmt.Sprintf(
			"SELECT '%s ' || (to_jsonb(t) - string_to_array(%s, ','))::text FROM %s t",
			table, quote.Literal(volatile), quote.Qualified(schema, table)))...)
	}
	if pgtest.Value[bool](t, db, "SELECT to_regclass('cron.job') IS NOT NULL") {
		lines = append(lines, pgtest.Column[string](t, db, `SELECT format('cron %s: %s %s %s %s %s',
			jobname, schedule, command, database, username, active) FROM cron.job`)...)
	}
	slices.Sort(lines)
	return lines
}
