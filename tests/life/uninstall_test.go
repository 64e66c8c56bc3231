// Package life_test changes an application's tables under installed policies, as an application
// does over the years.
package life_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// shop is an application's schema. item has a partitioned child; note has a column that "ensure"
// adds; bill has an archive.
const shop = `
CREATE SCHEMA app;
CREATE TABLE app.item (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    made_at timestamptz NOT NULL,
    state text NOT NULL DEFAULT 'open'
);
CREATE TABLE app.note (id bigint PRIMARY KEY, body text);
CREATE TABLE app.bill (id bigint PRIMARY KEY, paid_at timestamptz, total numeric NOT NULL);
CREATE TABLE app.event (id bigint, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE app.event_2024 PARTITION OF app.event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE app.event_2025 PARTITION OF app.event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE app.old_bill (LIKE app.bill);
INSERT INTO app.item (made_at) VALUES ('2024-01-01'), ('2999-01-01');
INSERT INTO app.note VALUES (1, 'kept');
INSERT INTO app.bill VALUES (1, '2024-01-01', 12), (2, '2999-01-01', 13);
INSERT INTO app.event VALUES (1, '2024-05-01'), (2, '2025-05-01');
`

const shopPolicies = `version: 1
install: {scheduler: none}
policies:
  items:
    table: app.item
    where: "state = 'closed'"
    due: {age: {column: made_at, older_than: 30 days}}
    then: [delete]
  notes:
    table: app.note
    ensure: {seen_at: {type: timestamptz, default: now()}}
    due: {age: {column: seen_at, older_than: 30 days}}
    then: [delete]
  bills:
    table: app.bill
    due: {age: {column: paid_at, older_than: 30 days}}
    then: [{archive: {into: app.old_bill}}, delete]
  events: {table: app.event, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
`

// mayCreate gives the migrating role what bootstrap gives it.
const mayCreate = `
GRANT CREATE ON SCHEMA public TO ` + kit.Migrator + `;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO ` + kit.Migrator + `', current_database()); END $$`

// TestUninstallFromAnyState holds that uninstall leaves the database as if pgretain had never been
// there, whatever was done to the tables and to the install before.
func TestUninstallFromAnyState(t *testing.T) {
	t.Parallel()
	type state struct {
		application string // runs as the migrating role, also where pgretain never was
		tampering   string // runs as a superuser, where pgretain is installed
	}
	for name, change := range map[string]state{
		"as installed": {},
		"foreign key added": {
			application: "CREATE TABLE app.part (item_id bigint REFERENCES app.item ON DELETE SET NULL)",
		},
		"privilege for another role": {application: "GRANT REFERENCES, TRIGGER ON app.item TO PUBLIC"},
		"table renamed":              {application: "ALTER TABLE app.item RENAME TO article"},
		"column renamed":             {application: "ALTER TABLE app.item RENAME made_at TO created_at"},
		"column dropped":             {application: "ALTER TABLE app.item DROP COLUMN state"},
		"table dropped":              {application: "DROP TABLE app.bill CASCADE"},
		"table moved":                {application: "CREATE SCHEMA store; ALTER TABLE app.event SET SCHEMA store"},
		"schema renamed":             {application: "ALTER SCHEMA app RENAME TO store"},
		"schema dropped":             {application: "DROP SCHEMA app CASCADE"},
		"swapped for a partitioned table": {application: `
			ALTER TABLE app.bill RENAME TO bill_2024;
			CREATE TABLE app.bill (id bigint, paid_at timestamptz, total numeric NOT NULL)
			PARTITION BY RANGE (paid_at)`},
		"partition detached": {application: "ALTER TABLE app.event DETACH PARTITION app.event_2024"},
		"index renamed": {tampering: `
			DO $$
			DECLARE v_name text;
			BEGIN
				SELECT c.oid::regclass INTO STRICT v_name FROM pg_class c
				WHERE c.relkind = 'i' AND obj_description(c.oid) LIKE 'pgretain: index %' AND c.relname LIKE '%item%';
				EXECUTE format('ALTER INDEX %s RENAME TO renamed', v_name);
			END $$`},
		"worker got more": {tampering: `
			GRANT ALL ON ALL TABLES IN SCHEMA app TO retention_worker;
			GRANT UPDATE (body) ON app.note TO retention_worker`},
		"registry emptied": {tampering: "TRUNCATE retention.policy, retention.job, retention.install"},
		"functions dropped": {tampering: `
			DROP FUNCTION retention._refuse_down();
			DROP FUNCTION retention.health() CASCADE`},
		"table of holds dropped": {tampering: `
			DROP TABLE retention.hold CASCADE;
			DROP FUNCTION retention._refuse_down()`},
		"schema of pgretain dropped": {tampering: "DROP SCHEMA retention CASCADE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, shop, shopPolicies)
			never := pgtest.Database(t)
			never.Exec(t, mayCreate+"; SET ROLE "+kit.Migrator+"; "+shop+"; RESET ROLE")
			if change.application != "" {
				in.Exec(t, "SET ROLE "+kit.Migrator+"; "+change.application+"; RESET ROLE")
				never.Exec(t, "SET ROLE "+kit.Migrator+"; "+change.application+"; RESET ROLE")
			}
			if change.tampering != "" {
				in.Exec(t, change.tampering)
			}
			options := in.Options()
			options.Removal = generator.Removal(in.File.Install)
			if err := install.Uninstall(t.Context(), in.URL(kit.Migrator), in.Migrations, options); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(kit.Catalog(t, never, "retention"), kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("a database without pgretain (-) differs from one from which it was removed (+):\n%s", diff)
			}
		})
	}
}

// TestUninstallWithoutRoles holds the same where the migrating role is all roles. A function of the
// user in the schema of pgretain stops the uninstall, and nothing is removed. So does an unlogged
// table of the user.
func TestUninstallWithoutRoles(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(shopPolicies, "{scheduler: none}", "{scheduler: none, roles: none}", 1)
	in := kit.Prepare(t, shop, yaml)
	never := kit.Catalog(t, in.DB, "retention")
	in.Migrate(t, yaml)
	options := in.Options()
	options.Removal = generator.Removal(in.File.Install)
	uninstall := func() error {
		return install.Uninstall(t.Context(), in.URL(kit.Migrator), in.Migrations, options)
	}
	installed := kit.Catalog(t, in.DB, "retention")
	in.Exec(t, "SET ROLE "+kit.Migrator+`;
		CREATE FUNCTION retention.mine() RETURNS int LANGUAGE sql AS 'SELECT 1';
		RESET ROLE`)
	err := uninstall()
	said := install.Diagnostics(err)
	if len(said) != 1 || !strings.Contains(said[0].Message, "retention.mine() is in schema") {
		t.Errorf("beside a function of the user: %+v", said)
	}
	in.Exec(t, "DROP FUNCTION retention.mine()")
	if diff := cmp.Diff(installed, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("the refused uninstall changed the database (-before +after):\n%s", diff)
	}
	in.Exec(t, "SET ROLE "+kit.Migrator+"; CREATE UNLOGGED TABLE retention.his AS SELECT 1 AS n; RESET ROLE")
	said = install.Diagnostics(uninstall())
	if len(said) != 1 || !strings.Contains(said[0].Message, "retention.his is in schema") {
		t.Errorf("beside an unlogged table of the user: %+v", said)
	}
	in.Exec(t, "DROP TABLE retention.his")
	if err := uninstall(); err != nil {
		t.Fatalf("%+v", install.Diagnostics(err))
	}
	if diff := cmp.Diff(never, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("the database before (-) differs from after the uninstall (+):\n%s", diff)
	}
}
