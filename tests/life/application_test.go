package life_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// policiesOf lists the policies of the application in the order of their job.
var policiesOf = []string{"bills", "sessions", "tokens", "accounts", "visits", "events", "notes", "messages"}

// application is a database with its project: policy file, catalog snapshot and migrations.
type application struct {
	*pgtest.DB
	t       *testing.T
	dir     string
	program string

	migrator string
	oracle   *fixture.Case
	renamed  *strings.Replacer // old names of tables and columns to the new ones
	names    map[string]string // names of policies, now and when the oracle was written
	hints    []string          // hints that were executed, each as one line
}

// built returns the template database of the application, and the directory of its project.
var built struct {
	sync.Once
	template *pgtest.Blueprint
	dir      string
}

// newApplication returns a copy of the application in which eight policies are installed, with rows
// and a hold.
func newApplication(t *testing.T) *application {
	t.Helper()
	built.Do(func() { build(t) })
	if built.template == nil {
		t.Fatal("the application could not be built; see the failure of the first test")
	}
	app := &application{
		DB:      built.template.Database(t),
		t:       t,
		dir:     t.TempDir(),
		program: kit.Program(t),
		oracle:  fixture.Read(t, "testdata/oracle.txtar"),
	}
	app.prepare()
	if err := os.CopyFS(app.dir, os.DirFS(built.dir)); err != nil {
		t.Fatal(err)
	}
	app.Exec(t, mayCreate+`;
		UPDATE retention.install SET database_name = current_database();
		UPDATE retention.policy SET installed_at = now();
		UPDATE retention.job SET installed_at = now()`)
	return app
}

func build(t *testing.T) {
	dir, err := os.MkdirTemp("", "pgretain-life-")
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(func() { _ = os.RemoveAll(dir) })
	app := installApplication(t, nil, dir)
	built.template, built.dir = app.DB.Template(t), dir
}

// installApplication installs the application's policies, with rows and a hold. If a database with
// pg_cron is given, pg_cron runs the job. Otherwise the database is a new one without pg_cron.
func installApplication(t *testing.T, cron *pgtest.DB, dir string) *application {
	t.Helper()
	source, oracle := fixture.Read(t, "testdata/application.txtar"), fixture.Read(t, "testdata/oracle.txtar")
	yaml := source.Text("retention.yaml")
	var options []kit.Option
	if cron != nil {
		yaml = strings.Replace(yaml, "scheduler: none, ", "", 1)
		options = append(options, kit.On(cron))
	}
	in := kit.Prepare(t, source.Text("schema.sql"), yaml, options...)
	app := &application{DB: in.DB, t: t, dir: dir, program: kit.Program(t), oracle: oracle}
	app.prepare()
	app.write("retention.yaml", yaml)
	if err := os.Mkdir(filepath.Join(dir, "migrations"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, file := range in.Migrations {
		app.write(filepath.Join("migrations", name), string(file.Data))
	}
	app.Exec(t, source.Text("roles.sql"))
	app.usualWay()
	app.Exec(t, "SET ROLE "+kit.Migrator+"; "+source.Text("rows.sql")+"; RESET ROLE; "+oracle.Text("input.sql")+
		"; SELECT retention.place_hold('app.token', '2', 'case 7')")
	return app
}

// prepare sets what is so before any change.
func (app *application) prepare() {
	app.migrator, app.renamed, app.names = kit.Migrator, strings.NewReplacer(), map[string]string{}
	for _, name := range policiesOf {
		app.names[name] = name
	}
}

func (app *application) write(name, text string) {
	app.t.Helper()
	if err := os.WriteFile(filepath.Join(app.dir, name), []byte(text), 0o600); err != nil {
		app.t.Fatal(err)
	}
}

// pgretain runs the command as a role, "" is the superuser, and returns its exit code and output.
func (app *application) pgretain(user string, args ...string) (code int, stdout, stderr string) {
	app.t.Helper()
	cmd := exec.Command(app.program, args...)
	cmd.Dir = app.dir
	cmd.Env = append(append(os.Environ(), "GOGC=off"), kit.ConnectionEnv(app.t, app.URL(user))...)
	return kit.RunCommand(app.t, cmd)
}

// must runs a command that must succeed as the migrating role.
func (app *application) must(args ...string) string {
	app.t.Helper()
	code, stdout, stderr := app.pgretain(app.migrator, args...)
	if code != 0 {
		app.t.Fatalf("pgretain %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// usualWay does what a project does after each change.
func (app *application) usualWay() {
	app.t.Helper()
	app.must("snapshot")
	app.must("generate")
	app.must("migrate", "up")
}

// finding is a finding of lint or verify.
type finding struct {
	Code, Severity, Policy, Message, Detail, Hint string
	Suppressed                                    *struct{ Reason string }
}

// found returns the findings of "lint" or "verify" that change the exit code.
func (app *application) found(verb string) []finding {
	app.t.Helper()
	code, stdout, stderr := app.pgretain("", verb, "--format", "json")
	var report struct{ Findings []finding }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		app.t.Fatalf("pgretain %s: exit code %d: %v\n%s%s", verb, code, err, stdout, stderr)
	}
	return slices.DeleteFunc(report.Findings, func(f finding) bool {
		return f.Severity == "info" || f.Severity == "warning" || f.Suppressed != nil
	})
}

// notRun stands for the state of a policy that has no new run.
const notRun = "not run"

// runAll runs the job, and returns the state in which each policy ended, unless it is "done". A
// policy for several schemas is one entry with its worst state if no instance is "done". Otherwise
// its entries are the instances that are not "done".
func (app *application) runAll() map[string]string {
	app.t.Helper()
	last := pgtest.Value[int64](app.t, app, "SELECT coalesce(max(id), 0) FROM retention.run")
	conn := app.Conn(app.t, "retention_runner")
	for _, job := range pgtest.Column[string](app.t, app, "SELECT name FROM retention.job ORDER BY name") {
		_, _ = conn.Exec(app.t.Context(), "CALL retention.run_job($1)", job) // fails where a policy fails
	}
	_ = conn.Close(app.t.Context())
	states := map[string]string{}
	rows, _ := app.Query(app.t.Context(), `
		WITH ended AS (
			SELECT policy, split_part(policy, '@', 1) AS name,
				max(CASE WHEN state = 'done' AND refused > 0 THEN 'refused' ELSE state END) AS state
			FROM retention.run WHERE id > $1 GROUP BY 1
		), whole AS (
			SELECT name, bool_or(state = 'done') AND bool_or(state <> 'done') AS divided FROM ended GROUP BY 1
		)
		SELECT CASE WHEN divided AND state <> 'done' THEN policy ELSE name END,
			max(state)
		FROM ended JOIN whole USING (name) GROUP BY 1`, last)
	var name, state string
	if _, err := pgx.ForEachRow(rows, []any{&name, &state}, func() error {
		states[name] = state
		return nil
	}); err != nil {
		app.t.Fatal(err)
	}
	for name := range app.names {
		if states[name] == "" {
			states[name] = notRun
		}
	}
	maps.DeleteFunc(states, func(_, state string) bool { return state == "done" })
	return states
}

// wantRows compares the rows of each policy with the oracle. The policies and instances in
// "stopped" have taken no row.
func (app *application) wantRows(when string, stopped map[string]string) {
	app.t.Helper()
	for now, name := range app.names {
		found := app.renamed.Replace(app.oracle.Text(name + "/found.sql"))
		want := app.oracle.Text(name + "/taken.sql")
		if schemas := stoppedSchemas(stopped, now); schemas != nil {
			want = strings.ReplaceAll(app.oracle.Text(name+"/untouched.sql"), "STOPPED", quote.Array(schemas))
		}
		if diff := cmp.Diff(app.sorted(want), app.sorted(found)); diff != "" {
			app.t.Errorf("%s, the rows of %s differ from the oracle (-want +got):\n%s", when, name, diff)
		}
	}
}

// stoppedSchemas returns for which schemas a policy has stopped: "*" for all of them.
func stoppedSchemas(stopped map[string]string, policy string) (schemas []string) {
	for _, name := range slices.Sorted(maps.Keys(stopped)) {
		if own, schema, one := strings.Cut(name, "@"); own == policy && one {
			schemas = append(schemas, schema)
		} else if own == policy {
			schemas = append(schemas, "*")
		}
	}
	return schemas
}

func (app *application) sorted(query string) []string {
	app.t.Helper()
	lines := pgtest.Column[string](app.t, app, query)
	slices.Sort(lines)
	return lines
}

// policies notes which policies a change renamed.
func (app *application) policies(c change) {
	for old, name := range c.Policies {
		app.names[name] = app.names[old]
		delete(app.names, old)
	}
}

// writeLaterRows writes more rows as the application, and into the input of the oracle. The tables
// of policies that are gone get none.
func (app *application) writeLaterRows() {
	app.t.Helper()
	rows := fixture.Read(app.t, "testdata/application.txtar").Text("later_rows.sql")
	var script []string
	for _, statement := range strings.SplitAfter(app.renamed.Replace(rows), ";\n") {
		if len(app.names) == len(policiesOf) || !strings.Contains(statement, "app.note ") {
			script = append(script, statement)
		}
	}
	app.Exec(app.t, "SET ROLE "+app.migrator+"; "+strings.Join(script, "")+"RESET ROLE; "+
		app.oracle.Text("later_rows.sql"))
}
