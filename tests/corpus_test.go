package tests

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/policy"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const corpus = "../generator/testdata"

// rolesOfApp creates the roles that some cases list under "grant".
var rolesOfApp = pgtest.MakeRole("app") + pgtest.MakeRole(`"Big App"`)

// corpusCases returns the generator's golden cases, except those that only tests/citus can install.
func corpusCases(t *testing.T) []*fixture.Case {
	t.Helper()
	cases := fixture.Cases(t, filepath.Join(corpus, "golden"), 24, "policy.yaml", "schema.sql", "catalog.json",
		"want/*")
	return slices.DeleteFunc(cases, func(c *fixture.Case) bool {
		return strings.Contains(c.Text("policy.yaml"), "shards_of:")
	})
}

// runAsCounted runs a policy and compares the taken rows with the count of the preview. Afterwards
// no row may be due.
func runAsCounted(t *testing.T, in *kit.Installed, policy, asOf string) kit.Outcome {
	t.Helper()
	due, _ := in.Count(policy, asOf)
	// A foreign key to the table itself also deletes rows that a later batch would take.
	outcome := in.Done(policy, asOf)
	var cascaded int64
	for _, n := range outcome.Cascaded {
		cascaded += n
	}
	if outcome.Taken > due || outcome.Taken+cascaded < due {
		t.Errorf("%s: the run took %d rows of %d due ones", policy, outcome.Taken, due)
	}
	if left, _ := in.Count(policy, asOf); left != 0 {
		t.Errorf("%s: %d rows are due after the run, want none", policy, left)
	}
	return outcome
}

// withoutCron sets "scheduler: none", because only one database of a server can have pg_cron.
func withoutCron(yaml string) string {
	if strings.Contains(yaml, "scheduler: none") {
		return yaml
	}
	yaml = strings.Replace(yaml, "install: {", "install: {scheduler: none, ", 1)
	return strings.Replace(yaml, "install:\n", "install:\n  scheduler: none\n", 1)
}

// job is a case of tests/corpus: the retention job of a real project, written as a policy file.
// docs/corpus.md describes its parts.
type job struct {
	own                                    *fixture.Case
	name, schema, yaml, note, data, oracle string
}

// TestJobs checks, lints and installs every job of tests/corpus. Jobs with an oracle also run, with
// several batch sizes.
func TestJobs(t *testing.T) {
	t.Parallel()
	jobs := readJobs(t)
	t.Run("page", func(t *testing.T) { checkPage(t, jobs) })
	for _, j := range jobs {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			if *fixture.Update {
				j.checkSnapshot(t, kit.Prepare(t, j.schema, withoutCron(j.yaml)))
				return
			}
			file := j.lint(t)
			j.checkClaim(t, file)
			if j.oracle == "" {
				j.verify(t, j.install(t))
				return
			}
			o := readOracle(t, j.oracle)
			in := j.install(t)
			j.verify(t, in)
			clone := in.Clones(t, withoutCron(j.yaml))
			for _, rows := range o.batches {
				t.Run(fmt.Sprint(rows), func(t *testing.T) { j.run(t, clone(t), o, rows) })
			}
		})
	}
}

func readJobs(t *testing.T) []job {
	t.Helper()
	var jobs []job
	for _, c := range fixture.Cases(t, "corpus", 40, "note.txt", "schema.sql", "retention.yaml", "data.sql",
		"oracle.sql", catalog.FileName) {
		jobs = append(jobs, job{
			own:    c,
			name:   c.Name,
			schema: c.Text("schema.sql"),
			yaml:   c.Text("retention.yaml"),
			note:   c.Text("note.txt"),
			data:   c.Text("data.sql"),
			oracle: c.Text("oracle.sql"),
		})
	}
	return jobs
}

// lint checks the policy file like "pgretain lint". It allows no warning.
func (j job) lint(t *testing.T) *policy.File {
	t.Helper()
	path := filepath.Join("corpus", j.name, "retention.yaml")
	file, list := policy.Parse(path, []byte(j.yaml))
	if len(list) == 0 {
		_, list = generator.Compile(file, j.snapshot(t), nil)
		list = append(list, generator.Notes(file, j.snapshot(t))...)
	}
	j.wantClean(t, path, list)
	scheduled := map[string]bool{}
	for _, job := range file.Jobs {
		for _, run := range job.Run {
			scheduled[run.Text] = true
		}
	}
	for _, p := range file.Policies {
		if !scheduled[p.Name] {
			t.Errorf("no job runs policy %s", p.Name)
		}
	}
	return file
}

func (j job) wantClean(t *testing.T, path string, list diag.List) {
	t.Helper()
	if len(list) == 0 {
		return
	}
	var out strings.Builder
	_ = list.Render(&out, map[string][]byte{path: []byte(j.yaml)}, false)
	t.Fatalf("lint has findings, want none:\n%s", out.String())
}

func (j job) snapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(j.own.Text(catalog.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// checkClaim checks the first word of note.txt, which docs/corpus.md repeats. It is "sql" if the
// policy file has an sql step, else "plain".
func (j job) checkClaim(t *testing.T, file *policy.File) {
	t.Helper()
	claim := "plain"
	for _, p := range file.Policies {
		for _, step := range p.Then {
			if step.SQL != nil {
				claim = "sql"
			}
		}
	}
	if j.claim() != claim {
		t.Errorf("note.txt begins with %q, want %q", j.claim(), claim)
	}
}

func (j job) claim() string {
	claim, _, _ := strings.Cut(j.note, ": ")
	return claim
}

// row returns the job's row in docs/corpus.md.
func (j job) row() string {
	claim, text, _ := strings.Cut(strings.TrimSpace(j.note), ": ")
	ran := ""
	if j.oracle != "" {
		ran = "yes"
	}
	return fmt.Sprintf("| [%s](../tests/corpus/%s.txtar) | %s | %s | %s |", j.name, j.name, claim, ran, text)
}

func checkPage(t *testing.T, jobs []job) {
	t.Helper()
	page := fixture.ReadFile(t, "../docs/corpus.md")
	for _, j := range jobs {
		if !strings.Contains(page, "\n"+j.row()+"\n") {
			t.Errorf("docs/corpus.md lacks the row\n%s", j.row())
		}
	}
	if n := strings.Count(page, "](../tests/corpus/"); n != len(jobs) {
		t.Errorf("docs/corpus.md has %d rows, want %d, one per job", n, len(jobs))
	}
}

// install creates the job's tables, compares them with the snapshot, and installs the policies.
func (j job) install(t *testing.T) *kit.Installed {
	t.Helper()
	yaml := withoutCron(j.yaml)
	in := kit.Prepare(t, j.schema, yaml)
	j.checkSnapshot(t, in)
	in.Migrate(t, yaml)
	return in
}

// verify checks that verify has no finding after the installation.
func (j job) verify(t *testing.T, in *kit.Installed) {
	t.Helper()
	wanted, list := in.Compile(t, withoutCron(j.yaml)) // with the applied migrations, like "verify"
	j.wantClean(t, "retention.yaml", list)
	in.WantConforms(t, wanted)
}

// checkSnapshot takes a new snapshot of the same tables and compares it with the job's snapshot.
func (j job) checkSnapshot(t *testing.T, in *kit.Installed) {
	t.Helper()
	want := j.snapshot(t)
	request := inspect.Request{SearchPath: in.File.Install.SearchPath, Runtime: in.File.Install.Schema}
	for _, table := range want.Tables {
		request.Tables = append(request.Tables, table.Schema+"."+table.Name)
	}
	got, unknown, err := inspect.Snapshot(t.Context(), in.Conn(t), request)
	if err != nil || len(unknown) > 0 {
		t.Fatalf("tables %v of the snapshot are unknown (%v)", unknown, err)
	}
	if _, err := inspect.Types(t.Context(), in.Conn(t), in.File, got); err != nil {
		t.Fatal(err)
	}
	j.own.Compare(t, catalog.FileName, got.Text())
}
