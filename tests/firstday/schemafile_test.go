package firstday

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

const schema = "../../internal/propose/testdata/schema.sql"

// TestSchemaFile checks that init and snapshot give the same result for a schema file as for the
// database with this schema, apart from table sizes. The owners are those in the file. No command
// overwrites a file.
func TestSchemaFile(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	db.Exec(t, fixture.ReadFile(t, schema))
	p := newUser(t, db.URL(""))
	golden := fixture.ReadFile(t, "../../internal/propose/testdata/retention.yaml")
	catalog := fixture.ReadFile(t, "../../internal/propose/testdata/catalog.json")
	p.write("schema.sql", fixture.ReadFile(t, schema))
	p.write("owned.sql", fixture.ReadFile(t, schema)+`
		ALTER TABLE public.outbox OWNER TO "The Queue";
		ALTER TABLE net.city OWNER TO nobody_else;`)

	if out := p.run(2, "lint"); !strings.Contains(out, `"pgretain init" writes a first one`) {
		t.Error(out)
	}
	p.run(0, "snapshot")
	equal(t, catalog, p.read("retention.catalog.json"))
	p.run(0, "snapshot --schema schema.sql --catalog of_file.json")
	equal(t, catalog, p.read("of_file.json"))
	if out := p.run(2, "init"); !strings.Contains(out, "\"retention.catalog.json\" exists already") {
		t.Error(out)
	}
	p.run(0, "init --schema schema.sql --catalog new.json")
	equal(t, golden, p.read("retention.yaml"))
	equal(t, catalog, p.read("new.json"))
	p.run(2, "init --schema schema.sql --catalog third.json")
	equal(t, golden, p.read("retention.yaml"))

	p.run(0, "snapshot --catalog again.json") // the policy file has no policy yet, only proposals
	equal(t, catalog, p.read("again.json"))
	p.run(0, "generate --catalog new.json --migrations as_it_is")
	p.write("all.yaml", regexp.MustCompile(`(?m)^# `).ReplaceAllString(golden, ""))
	p.run(0, "generate --policy all.yaml --catalog new.json --migrations all")
	// The sandbox installs and runs all proposals.
	p.run(0, "lint --sandbox --schema schema.sql --policy all.yaml --catalog new.json --migrations all")

	p.run(0, "init --schema owned.sql --policy owned.yaml --catalog owned.json")
	if got := p.read("owned.yaml"); !strings.Contains(got, `trust: ["\"The Queue\""]`) ||
		strings.Contains(got, "nobody_else") {
		t.Errorf("the file must trust owner \"The Queue\" and not name nobody_else:\n%s", got)
	}
	p.run(0, "lint --policy owned.yaml --catalog owned.json")
}

func equal(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothingGrows checks that init proposes policies for tables into which no rows were inserted.
// It refuses a database without tables.
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	p := newUser(t, db.URL(""))
	if out := p.run(2, "init"); !strings.Contains(out, "has no tables") {
		t.Error(out)
	}
	db.Exec(t, fixture.ReadFile(t, schema))
	p.run(0, "init")
	if got := p.read("retention.yaml"); !strings.Contains(got, "\n## audit.event, 16 kB, 0 inserts since") ||
		strings.Contains(got, "small") {
		t.Errorf("the file must give size and inserts of audit.event, and call no table small:\n%s", got)
	}
}
