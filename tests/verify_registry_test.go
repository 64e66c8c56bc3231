package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// TestRegistryColumns holds that verify compares every column of the registry that a migration
// writes. The test changes all columns of the registry's tables. It lists the columns that the
// runtime fills. A new column must be compared, or be in that list.
func TestRegistryColumns(t *testing.T) {
	t.Parallel()
	const yaml = `
each: {each_shop: {schemas: "shop_*"}}
policies:
  orders: {table: app.orders, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  items: {table: each_shop.item, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
reports:
  sizes: {query: "SELECT count(*) AS n FROM app.orders", alert: "n > 7"}
jobs:
  nightly: {schedule: "7 3 * * *", run: [orders, items, sizes]}
`
	in := kit.Install(t, `
		CREATE SCHEMA app;
		CREATE TABLE app.orders (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE SCHEMA shop_anna;
		CREATE TABLE shop_anna.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE INDEX ON shop_anna.item (at, id)`, yaml)
	if found := in.Finding(t, yaml, "V009"); found != "" {
		t.Fatalf("the registry differs from the file before any change: %s", found)
	}
	// The row of the instance items@shop_anna is compared once its next run has written it.
	in.Exec(t, "DELETE FROM retention.policy WHERE name LIKE '%@%'")
	var want []string
	for _, row := range []struct{ table, name, title, by string }{
		{"install", "", "the row of the install", "only_row log_window cron_log_window event_window " +
			"text_search_config report_window claim_window system_identifier database_name server state " +
			"logical_messages adopted_at adopted_by"},
		{"policy", "orders", `policy "orders"`, "name names candidates table_oid installed_at"},
		{"each", "items", `each "items"`, "name"},
		{"job", "nightly", `job "nightly"`, "name installed_at"},
	} {
		var columns, changes []string
		for _, column := range pgtest.Column[string](t, in, `SELECT column_name::text FROM information_schema.columns
				WHERE table_schema = 'retention' AND table_name = '`+row.table+`' ORDER BY column_name COLLATE "C"`) {
			if !slices.Contains(strings.Fields(row.by), column) {
				columns = append(columns, column)
				changes = append(changes, column+" = "+otherValue(t, in, row.table, column))
			}
		}
		where := ""
		if row.name != "" {
			where = " WHERE name = '" + row.name + "'"
		}
		in.Exec(t, "UPDATE retention."+row.table+" SET "+strings.Join(changes, ", ")+where)
		want = append(want, fmt.Sprintf("%s differs in the registry: %s", row.title, strings.Join(columns, ", ")))
	}
	in.Exec(t, `UPDATE retention.policy SET report = false, hash = '', description = 'other', schemas = '{other}',
		dependencies = '{"other": {}}' WHERE name = 'sizes'`)
	want = append(want, `policy "sizes" differs in the registry: dependencies, description, hash, report, schemas`)

	wanted, _ := in.Compile(t, yaml)
	checks, err := verifier.Select([]string{"V009"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := verifier.Verify(t.Context(), in.Conn(t), in.File, wanted,
		verifier.Options{Snapshot: in.Catalog, Checks: checks})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Findings {
		got = append(got, f.Message)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verify does not compare all columns (-want +got):\n%s", diff)
	}
}

// otherValue returns a value that no row of the registry has in a column, as SQL.
func otherValue(t *testing.T, in *kit.Installed, table, column string) string {
	t.Helper()
	typ := pgtest.Value[string](t, in, `SELECT format_type(atttypid, NULL) FROM pg_attribute
		WHERE attrelid = 'retention.`+table+`'::regclass AND attname = '`+column+`'`)
	values := map[string]string{"boolean": "NOT " + column, "text": "'other'", "text[]": "'{other}'", "integer": "7777",
		"bigint": "7777", "double precision": "0.77", "interval": "'7 hours'", "jsonb": `'[{"verb": "note"}]'`}
	if values[typ] == "" {
		t.Fatalf("column %s of retention.%s has type %s, for which this test has no value", column, table, typ)
	}
	return values[typ]
}

// TestPrivilegesOfTheRuntime changes one privilege on each object of the runtime's schema on which
// a role has one. It revokes the privilege, grants it with grant option, or grants it to PUBLIC.
// verify must name exactly these objects.
func TestPrivilegesOfTheRuntime(t *testing.T) {
	t.Parallel()
	const yaml = `
each: {each_shop: {schemas: "shop_*"}}
policies:
  orders: {table: app.orders, due: {age: {column: at, older_than: 30 days}}, then: [{emit: {event: gone}}, delete]}
  items: {table: each_shop.item, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
reports:
  sizes: {query: "SELECT count(*) AS n FROM app.orders"}
`
	in := kit.Install(t, `
		CREATE SCHEMA app;
		CREATE TABLE app.orders (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE SCHEMA shop_anna;
		CREATE TABLE shop_anna.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE INDEX ON shop_anna.item (at, id)`, yaml)
	if _, err := in.Call("CALL retention.run('items')"); err != nil { // creates the functions of the instance
		t.Fatal(err)
	}
	wanted, _ := in.Compile(t, yaml)
	checks, err := verifier.Select([]string{"V006"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn := in.Conn(t)
	// Application roles may be granted two functions. goose_db_version belongs to a migration tool.
	type privilege struct{ Object, SQL, Privilege, Role string }
	rows, _ := conn.Query(t.Context(), `
		SELECT DISTINCT ON (o.sql) o.name, o.sql, x.privilege_type, quote_ident(r.rolname)
		FROM (SELECT format('retention.%s', c.relname) AS name, format('TABLE %s', c.oid::regclass) AS sql,
				c.relacl AS acl, c.relowner AS owner
			FROM pg_class c WHERE c.relnamespace = 'retention'::regnamespace AND c.relkind IN ('r', 'v')
				AND c.relname <> 'goose_db_version'
			UNION ALL
			SELECT format('retention.%s', p.proname), format('ROUTINE %s', p.oid::regprocedure), p.proacl, p.proowner
			FROM pg_proc p WHERE p.pronamespace = 'retention'::regnamespace
				AND p.proname NOT IN ('take_events', 'window_of')) o
		CROSS JOIN LATERAL aclexplode(o.acl) x
		JOIN pg_roles r ON r.oid = x.grantee AND r.oid <> o.owner AND r.rolname LIKE 'retention%'
		ORDER BY o.sql, md5(o.sql || x.privilege_type || r.rolname)`)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[privilege])
	if err != nil || len(list) < 200 {
		t.Fatalf("%d objects have privileges, want at least 200: %v", len(list), err)
	}
	var want []string
	for _, p := range list {
		want = append(want, p.Object)
	}
	slices.Sort(want)
	for _, change := range [][2]string{
		{"REVOKE %s ON %s FROM %s", "GRANT %s ON %s TO %s"},
		{"GRANT %s ON %s TO %s WITH GRANT OPTION", "REVOKE GRANT OPTION FOR %s ON %s FROM %s"},
		{"GRANT %s ON %s TO PUBLIC -- %s", "REVOKE %s ON %s FROM PUBLIC -- %s"},
	} {
		execute := func(format string) {
			for _, p := range list {
				pgtest.Exec(t, conn, fmt.Sprintf(format, p.Privilege, p.SQL, p.Role))
			}
		}
		execute(change[0])
		report, err := verifier.Verify(t.Context(), in.Conn(t), in.File, wanted,
			verifier.Options{Snapshot: in.Catalog, Checks: checks})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range report.Findings {
			name, _, _ := strings.Cut(f.Object, "(")
			got = append(got, strings.ReplaceAll(name, `"`, ""))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s, verify names other objects (-want +got):\n%s", change[0], diff)
		}
		execute(change[1])
	}
}
