package kit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestProtection weakens a database in many ways. The comparison must name each of them, and
// nothing where protection only grows.
func TestProtection(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE SCHEMA app;
		CREATE TABLE app.item (id bigint PRIMARY KEY, at timestamptz NOT NULL, CHECK (id > 0));
		CREATE TABLE app.part (item bigint CONSTRAINT of_item REFERENCES app.item);
		ALTER TABLE app.part ENABLE ROW LEVEL SECURITY;
		CREATE FUNCTION app.stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
		CREATE TRIGGER stay BEFORE DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.stay();
		INSERT INTO app.item VALUES (1, now()), (2, now())`,
		"policies: {items: {table: app.item, due: {age: {column: at, older_than: 30 days}}, then: [delete]}}")
	in.Exec(t, `SELECT retention.place_hold('app.item', '1', 'court'); SELECT retention.pause('items', 'look');
		ALTER ROLE retention_runner SET statement_timeout = '1h'`)
	for name, c := range map[string]struct{ change, weaker string }{
		"nothing":    {"SELECT", ""},
		"stronger":   {"REVOKE ALL ON app.item FROM retention_worker; SELECT retention.pause()", ""},
		"privileges": {"GRANT SELECT (at) ON app.item TO PUBLIC", "wider may: SELECT on column app.item.at to PUBLIC"},
		"option": {"GRANT SELECT ON app.item TO retention_worker WITH GRANT OPTION",
			"wider may: SELECT on relation app.item to retention_worker with grant option"},
		"new function": {"CREATE FUNCTION app.f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'", `
			wider may: EXECUTE on routine app.f() to PUBLIC
			wider may: own routine app.f() as postgres
			wider may: security definer routine app.f()`},
		"owner": {"ALTER TABLE app.part OWNER TO retention_worker",
			"wider may: own relation app.part as retention_worker"},
		"hold":         {"SELECT retention.release_hold(1, 'why')", `lost has: hold {"id": "1"} until : court`},
		"pause":        {"SELECT retention.resume('items')", "lost has: policy items is paused true"},
		"row security": {"ALTER TABLE app.part DISABLE ROW LEVEL SECURITY", "lost has: row security of app.part"},
		"trigger":      {"ALTER TABLE app.item DISABLE TRIGGER stay", "lost has: trigger stay on app.item"},
		"key": {"ALTER TABLE app.part DISABLE TRIGGER ALL", `
			lost has: trigger "RI_FKey_check_ins" of of_item on app.part
			lost has: trigger "RI_FKey_check_upd" of of_item on app.part`},
		"check": {"ALTER TABLE app.item DROP CONSTRAINT item_id_check",
			"lost has: constraint app.item item_id_check: CHECK ((id > 0))"},
		"not null": {"ALTER TABLE app.item ALTER at DROP NOT NULL", "lost has: column app.item.at NOT NULL"},
		"rows": {"DELETE FROM app.part; INSERT INTO app.part VALUES (1); TRUNCATE app.part, app.item",
			"lost rows: app.item has 0 of 2"},
		"setting": {"ALTER ROLE retention_runner RESET statement_timeout",
			"lost has: setting of role retention_runner in database ALL: statement_timeout=1h"},
		"unlogged": {"ALTER TABLE app.part SET UNLOGGED", "lost has: rows of app.part after a crash"},
	} {
		t.Run(name, func(t *testing.T) {
			tx, err := in.Conn(t).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before := kit.ProtectionOf(t, tx, "retention")
			pgtest.Exec(t, tx.Conn(), c.change)
			after := kit.ProtectionOf(t, tx, "retention")
			var want []string
			for line := range strings.Lines(strings.TrimSpace(c.weaker)) {
				want = append(want, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(want, after.Weaker(before)); diff != "" {
				t.Error(diff)
			}
			if weaker := after.Weaker(before, after); strings.Contains(strings.Join(weaker, "\n"), "wider") {
				t.Errorf("rights of an earlier moment count as new: %v", weaker)
			}
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
