package generator

import (
	"fmt"
	"strings"
	"testing"
)

// TestStatementsOfGoldenObjects checks that statements.txt allows every statement of the golden
// objects, and that a golden case has each kind of object.
func TestStatementsOfGoldenObjects(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for _, c := range cases(t, "golden", 24) {
		file, _ := parseCase(t, c)
		objects, _ := Compile(file, snapshotOf(t, c), nil)
		for _, o := range PolicyScripts(objects, file.Install.Roles) {
			for _, drops := range []bool{false, true} {
				a := action{object: o, drops: drops}
				if err := a.checkStatements(file.Install.Schema); err != nil {
					t.Errorf("%s: %s %q, dropped %t: %v", c.Name, o.Kind, o.Name, drops, err)
				}
				kinds[string(o.Kind)] = true
			}
		}
	}
	for heading := range forms() {
		if _, kind, _ := strings.Cut(heading, " "); !kinds[kind] && kind != "upgrade" {
			t.Errorf("no golden case has an object for %q of statements.txt", heading)
		}
	}
}

// TestForeignStatements checks that an object may hold no statement but those of statements.txt,
// with its own name and in their order.
func TestForeignStatements(t *testing.T) {
	t.Parallel()
	changed := strings.ReplaceAll
	const comment = "COMMENT ON INDEX app.i IS 'x';\n"
	const record = "SELECT retention._record_index('app.i', ARRAY['a', 'b']::text[]);\n"
	const grant = "GRANT SELECT, DELETE ON app.\"T\" TO w;\n"
	const revoke = "DO $$ BEGIN IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.t') AND " +
		"pg_get_userbyid(c.relowner) <> 'w') THEN REVOKE DELETE ON app.t FROM w; END IF; "
	const sequence = "IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.s') AND " +
		"pg_get_userbyid(c.relowner) <> 'w') THEN REVOKE USAGE ON SEQUENCE app.s FROM w; END IF; "
	for _, c := range []struct {
		kind    Kind
		name    string
		sql     string
		drops   bool
		refused string
	}{
		{KindIndex, "app.i", comment + record, false, ""},
		{KindIndex, "app.i", "-- Why.\n" + comment + "DROP INDEX IF EXISTS app.j;\n" + record, false, ""},
		{KindIndex, "app.j", comment + record, false, "no statement like"},
		{KindIndex, "app.i", record + comment, false, "no statement like"},
		{KindIndex, "app.i", comment, false, "missing"},
		{KindIndex, "app.i", comment + comment + record, false, "no statement like"},
		{KindIndex, "app.i", comment + record + "DROP TABLE app.t;", false, "no statement like"},
		{KindIndex, "app.i", comment + changed(record, "'b'", "app.b()"), false, "no statement like"},
		{KindIndex, "app.i", comment + changed(record, "'b'", "'b', 'c;' , 'd'"), false, ""},
		{KindIndex, "app.i", comment + changed(record, "retention.", "other."), false, "no statement like"},
		{KindPrivilege, "app.T", grant, false, ""},
		{KindPrivilege, "app.T", changed(grant, "DELETE", "TRUNCATE"), false, "no statement like"},
		{KindPrivilege, "app.T", changed(grant, "TO w", "TO w WITH GRANT OPTION"), false, "no statement like"},
		{KindPrivilege, "app.T", grant + grant, false, "no statement like"},
		{KindPrivilege, "app.t", revoke + "END $$;", true, ""},
		{KindPrivilege, "app.t", revoke + sequence + sequence + "END $$;", true, ""},
		{KindPrivilege, "app.t", revoke + sequence + "DROP TABLE app.t; END $$;", true, "no statement like"},
		{KindPrivilege, "app.t", revoke + "END $$ LANGUAGE plperl;", true, "no statement like"},
		{KindJob, "j", "DELETE FROM retention.job WHERE name = 'j';", true, ""},
		{KindJob, "j", "DELETE FROM retention.job WHERE name = 'k';", true, "no statement like"},
		{KindJob, "j", "DELETE FROM retention.job;", true, "no statement like"},
	} {
		o := Object{Kind: c.kind, Name: c.name, SQL: c.sql}
		if c.drops {
			o.SQL, o.Drop = "", c.sql
		}
		err := action{object: o, drops: c.drops}.checkStatements("retention")
		if got := fmt.Sprint(err); (err != nil) != (c.refused != "") || !strings.Contains(got, c.refused) {
			t.Errorf("%s %s, dropped %t: got %v, want %q for\n%s", c.kind, c.name, c.drops, err, c.refused, c.sql)
		}
	}
}
