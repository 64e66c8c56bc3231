package history

import (
	"strings"
	"testing"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const joined = `
policies:
  old:
    table: app.note
    join: {c: {query: "SELECT 1::bigint AS owner_id", where: "c.owner_id = t.owner_id"}}
    where: "c.owner_id IS NULL"
    due: {age: {column: at, older_than: 30 days}}
    then: [delete]
`

// TestChangedPolicyLeavesNoOldObjects checks that a migration drops the functions and views that
// only the old version of a policy has. It does not drop an object with such a name that belongs to
// another policy.
func TestChangedPolicyLeavesNoOldObjects(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lifeSchema, joined)
	want := func(sql string) {
		t.Helper()
		if !pgtest.Value[bool](t, in, "SELECT "+sql) {
			t.Errorf("not true: %s", sql)
		}
	}
	want("to_regclass('retention.old_c') IS NOT NULL")
	want("to_regprocedure('retention.old_start(retention.batch_range)') IS NOT NULL")
	before := kit.Catalog(t, in.DB, "retention")
	in.Migrate(t, notes("old", "app.note"))
	want("to_regclass('retention.old_c') IS NULL")
	want("to_regprocedure('retention.old_start(retention.batch_range)') IS NULL")
	want("to_regprocedure('retention.old_take(retention.batch_range)') IS NOT NULL")
	want("(SELECT p.owns = '{}' FROM retention.policy p WHERE p.name = 'old')")
	down(t, in)
	wantCatalog(t, in, before, "after going back")
	in.DB.Exec(t, `CREATE FUNCTION retention.old_c_rows(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
		INSERT INTO retention.policy
		SELECT (jsonb_populate_record(p, '{"name": "other"}')).* FROM retention.policy p WHERE p.name = 'old'`)
	in.DB.Exec(t, "SELECT retention._drop_policy('old')")
	want("to_regclass('retention.old_c') IS NOT NULL")
	want("to_regprocedure('retention.old_take(retention.batch_range)') IS NULL")
	want("to_regprocedure('retention.old_c_rows(text)') IS NOT NULL")
}

// TestMigrationKeepsViewsOfUsers checks that a migration neither drops nor breaks a user's view
// that reads a function of a policy. The migration fails as a whole, and succeeds once the view is
// dropped.
func TestMigrationKeepsViewsOfUsers(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lifeSchema, notes("old", "app.note"))
	in.DB.Exec(t, `CREATE VIEW public.mine AS
		SELECT (r.t).* FROM retention.old_rows(retention.scope_at('old', now()))
			r (rel oid, tid tid, t app.note, verdict text)`)
	before := kit.Catalog(t, in.DB, "retention")
	in.Generate(t, strings.Replace(notes("old", "app.note"), "days: 30", "days: 31", 1))
	_, err := in.TryUp(t)
	list := install.Diagnostics(err)
	if err == nil || list[0].Code.String() != "2BP01" || !strings.Contains(list[0].Detail, "mine depends on function") {
		t.Fatalf("the migration: %v %+v, want SQLSTATE 2BP01 and the name of the view", err, list)
	}
	wantCatalog(t, in, before, "after a migration that failed")
	in.DB.Exec(t, "DROP VIEW public.mine")
	in.Up(t)
}

// TestDownKeepsObjectsOfUsers checks when undoing the first migration drops nothing: if the
// runtime's schema contains an object of a user, or if a user's view depends on the runtime.
func TestDownKeepsObjectsOfUsers(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lifeSchema, notes("old", "app.note"))
	for _, c := range []struct{ create, drop, want string }{
		{
			"CREATE TABLE retention.mine ()",
			"DROP TABLE retention.mine",
			"retention.mine is in pgretain's schema",
		},
		{
			"CREATE FUNCTION retention.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
			"DROP FUNCTION retention.mine()",
			"retention.mine() is in pgretain's schema",
		},
		{
			"CREATE VIEW public.mine AS SELECT * FROM retention.run",
			"DROP VIEW public.mine",
			"other objects depend on",
		},
	} {
		in.DB.Exec(t, c.create)
		_, err := in.TryDown(t, true)
		if list := install.Diagnostics(err); err == nil || list[0].Code.String() != "2BP01" ||
			!strings.Contains(list[0].Message, c.want) {
			t.Errorf("down after %s: %v %+v, want SQLSTATE 2BP01 with %q", c.create, err, list, c.want)
		}
		if !pgtest.Value[bool](t, in, "SELECT to_regclass('retention.run') IS NOT NULL") {
			t.Fatalf("down after %s dropped retention.run", c.create)
		}
		in.DB.Exec(t, c.drop)
	}
	if _, err := in.TryDown(t, true); err != nil {
		t.Fatal(err)
	}
	if pgtest.Value[bool](t, in, "SELECT to_regnamespace('retention') IS NOT NULL") {
		t.Error("schema retention exists after down, want it dropped")
	}
	in.Up(t)
	in.Done("old", "2026-01-01")
}
