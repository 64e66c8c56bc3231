package tests

import (
	"path/filepath"
	"strings"
	"testing"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
)

const corpus = "../generator/testdata"

// rolesOfApp makes the roles that "grant" names in some cases; several tests may do so at once.
const rolesOfApp = `DO $$ BEGIN CREATE ROLE app; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
	DO $$ BEGIN CREATE ROLE "Big App"; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`

// TestCorpus installs every case of the generator's golden corpus on a real server and runs its
// policies. What a run takes must be what its count found at the same instant, and then nothing
// is due.
func TestCorpus(t *testing.T) {
	t.Parallel()
	schema := fixture.ReadFile(t, filepath.Join(corpus, "schema.sql")) + fixture.ReadFile(t, filepath.Join(corpus, "data.sql"))
	for _, c := range fixture.Cases(t, filepath.Join(corpus, "golden"), 24, "policy.yaml", "schema.sql", "catalog.json", "want/*") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			tables := schema
			if c.Has("schema.sql") {
				tables = c.Text("schema.sql")
			}
			in := kit.Install(t, tables, withoutCron(c.Text("policy.yaml")), kit.Before(rolesOfApp))
			var taken int64
			for _, p := range in.File.Policies {
				taken += runAsCounted(t, in, p.Name)
			}
			if taken == 0 && len(in.File.Policies[0].Ensure) == 0 { // a new column makes every row new
				t.Error("no policy takes a row, so that nothing is shown")
			}
		})
	}
}

func runAsCounted(t *testing.T, in *kit.Installed, policy string) int64 {
	t.Helper()
	const asOf = "2025-06-01 12:00:00+00"
	due, _ := in.Count(policy, asOf)
	// A foreign key to the table itself takes rows that a later batch would have counted.
	outcome := in.Done(policy, asOf)
	var cascaded int64
	for _, n := range outcome.Cascaded {
		cascaded += n
	}
	if outcome.Taken > due || outcome.Taken+cascaded < due {
		t.Errorf("%s: %d rows were due, %d were taken", policy, due, outcome.Taken)
	}
	if left, _ := in.Count(policy, asOf); left != 0 {
		t.Errorf("%s: %d rows are still due", policy, left)
	}
	return outcome.Taken
}

// withoutCron takes the scheduler away, which one server has for one database only.
func withoutCron(yaml string) string {
	if strings.Contains(yaml, "scheduler: none") {
		return yaml
	}
	yaml = strings.Replace(yaml, "install: {", "install: {scheduler: none, ", 1)
	return strings.Replace(yaml, "install:\n", "install:\n  scheduler: none\n", 1)
}
