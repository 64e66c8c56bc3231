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
)

const corpus = "../generator/testdata"

// rolesOfApp makes the roles that "grant" names in some cases; several tests may do so at once.
const rolesOfApp = `DO $$ BEGIN CREATE ROLE app; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
	DO $$ BEGIN CREATE ROLE "Big App"; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`

// corpusCases are the generator's golden corpus, but for what tests/citus installs.
func corpusCases(t *testing.T) []*fixture.Case {
	t.Helper()
	cases := fixture.Cases(t, filepath.Join(corpus, "golden"), 24, "policy.yaml", "schema.sql", "catalog.json",
		"want/*")
	return slices.DeleteFunc(cases, func(c *fixture.Case) bool {
		return strings.Contains(c.Text("policy.yaml"),
			"shards_of:")
	})
}

// runAsCounted holds a run to its count at the same instant: it takes what was found, and then
// nothing is due.
func runAsCounted(t *testing.T, in *kit.Installed, policy, asOf string) kit.Outcome {
	t.Helper()
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
	return outcome
}

// withoutCron takes the scheduler away, which one server has for one database only.
func withoutCron(yaml string) string {
	if strings.Contains(yaml, "scheduler: none") {
		return yaml
	}
	yaml = strings.Replace(yaml, "install: {", "install: {scheduler: none, ", 1)
	return strings.Replace(yaml, "install:\n", "install:\n  scheduler: none\n", 1)
}

// job is a case of tests/corpus: the retention job of a real project in the policy language.
// docs/corpus.md says what its parts are.
type job struct {
	own                                    *fixture.Case
	name, schema, yaml, note, data, oracle string
}

// TestJobs holds every job to its snapshot, lints and generates it, and installs it on a server.
// Jobs with an oracle also run, at two sizes of a batch.
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
			own: c, name: c.Name, schema: c.Text("schema.sql"), yaml: c.Text("retention.yaml"), note: c.Text("note.txt"),
			data: c.Text("data.sql"), oracle: c.Text("oracle.sql"),
		})
	}
	return jobs
}

// lint checks the policy as "pgretain lint" does, and wants no warning either.
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
			t.Errorf("policy %s is in no job", p.Name)
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
	t.Fatalf("lint complains:\n%s", out.String())
}

func (j job) snapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(j.own.Text(catalog.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// checkClaim holds the first word of the note, which the page repeats, to the policy.
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
		t.Errorf("note.txt says %q, the policy is %s", j.claim(), claim)
	}
}

func (j job) claim() string {
	claim, _, _ := strings.Cut(j.note, ": ")
	return claim
}

// row is the job's row of docs/corpus.md.
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
			t.Errorf("docs/corpus.md has not the row\n%s", j.row())
		}
	}
	if n := strings.Count(page, "](../tests/corpus/"); n != len(jobs) {
		t.Errorf("docs/corpus.md has %d rows, there are %d jobs", n, len(jobs))
	}
}

// install brings the job into a database of its own, and compares its tables with the snapshot
// before anything is installed.
func (j job) install(t *testing.T) *kit.Installed {
	t.Helper()
	yaml := withoutCron(j.yaml)
	in := kit.Prepare(t, j.schema, yaml)
	j.checkSnapshot(t, in)
	in.Migrate(t, yaml)
	return in
}

// verify wants no finding right after installing.
func (j job) verify(t *testing.T, in *kit.Installed) {
	t.Helper()
	wanted, list := in.Compile(t, withoutCron(j.yaml)) // as "verify" does, with what the migrations made in the history
	j.wantClean(t, "retention.yaml", list)
	in.WantConforms(t, wanted)
}

// checkSnapshot reads the tables of the snapshot again: with all that reaches them, as ever.
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
