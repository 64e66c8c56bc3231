package life_test

import (
	"cmp"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/quote"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// change describes a change of the application, as case.yaml does.
type change struct {
	Title    string            `yaml:"change"` // for docs/changes.md
	As       string            // the role that makes the change; default the migrating role
	Way      []string          // what to type, see application.take
	Says     string            // how the policy file changes, for docs/changes.md
	Migrator string            // the migrating role from now on, for changes of a server
	Missing  string            // what the product does not do yet; then the way has SQL of its own
	Grants   []string          // privileges which the way back gives to roles outside of pgretain
	Names    map[string]string // old names of tables and columns to the new ones
	Edit     map[string]string // texts of the policy file to the new ones
	Last     map[string]string // as Names, after the way back; default Names
	Lost     []string          // texts in the lines of objects that the way back replaces

	After    string            // another case whose change and way back come first
	Ran      bool              // whether the job has run before the change
	Without  []string          // policies that the way back removes
	Policies map[string]string // old names of policies to the new ones
}

// TestChanges makes one change of the application after another, each in a database of its own. The
// next run may take rows or stop. What docs/changes.md says is typed, and nothing else. Then verify
// conforms, the next run ends "done", and all rows are as an oracle in plain SQL says.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, own := range allChanges(t) {
		t.Run(own.Name, func(t *testing.T) {
			t.Parallel()
			testChange(t, own, readChange(t, own))
		})
	}
}

func allChanges(t *testing.T) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, "testdata/changes", 40,
		"case.yaml", "change.sql", "input.sql", "own.sql", "later.sql", "outcome.txt", "hints.txt")
}

func readChange(t *testing.T, own *fixture.Case) (c change) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(own.Text("case.yaml")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		t.Fatalf("%s: %v", own.Name, err)
	}
	return c
}

func testChange(t *testing.T, own *fixture.Case, c change) {
	app := newApplication(t)
	if c.After != "" {
		app.change(c.After)
	}
	if c.Ran {
		app.runAll()
	}
	app.apply(own, c)
	app.renamed = replacer(c.Names)
	for _, name := range c.Without {
		delete(app.names, name)
	}
	stopped := app.runAll()
	app.wantRows("after the change", stopped)
	drift := app.found("verify")
	own.Compare(t, "outcome.txt", outcomeText(stopped, drift))
	if t.Failed() {
		t.Logf("%s\n%s", app.messages(), said(drift))
	}

	before := app.surroundings()
	for _, step := range c.Way {
		if step == "run" { // it takes rows, and partitions
			app.wantSurroundings(before, c)
			before = nil
		}
		app.take(step, own, c)
	}
	if before != nil {
		app.wantSurroundings(before, c)
	}
	if len(app.hints) > 0 {
		own.Compare(t, "hints.txt", oid.ReplaceAllString(strings.Join(app.hints, ""), "${1}OID"))
	}
	if c.Last != nil {
		app.renamed = replacer(c.Last)
	}

	if drift := app.found("verify"); len(drift) > 0 {
		t.Errorf("after what was typed, verify reports:\n%s", said(drift))
	}
	app.policies(c)
	app.writeLaterRows()
	app.Exec(t, own.Text("later.sql"))
	if states := app.runAll(); len(states) > 0 {
		t.Errorf("after what was typed, runs end %v\n%s", states, app.messages())
	}
	app.wantRows("at the end", nil)
}

// outcomeText returns how runs end after a change, and the codes that verify reports then.
func outcomeText(stopped map[string]string, drift []finding) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(stopped)) {
		out.WriteString(name + " " + stopped[name] + "\n")
	}
	out.WriteString("verify: " + cmp.Or(strings.Join(codes(drift), " "), "conforms") + "\n")
	return out.String()
}

// apply makes the change of a case with psql, and changes the input of the oracle alike.
func (app *application) apply(own *fixture.Case, c change) {
	app.t.Helper()
	app.psql("SET ROLE " + quote.Ident(cmp.Or(c.As, app.migrator)) + ";\n" + own.Text("change.sql"))
	app.Exec(app.t, own.Text("input.sql"))
}

// psql executes a script as a superuser, as it stands.
func (app *application) psql(script string) {
	app.t.Helper()
	cmd := exec.Command("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", app.URL(""))
	cmd.Stdin = strings.NewReader(script)
	if exit, stdout, stderr := kit.RunCommand(app.t, cmd); exit != 0 {
		app.t.Fatalf("psql fails:\n%s\n%s%s", script, stdout, stderr)
	}
}

// change makes the change of another case, and takes its way back.
func (app *application) change(name string) {
	app.t.Helper()
	for _, other := range allChanges(app.t) {
		if other.Name == name {
			c := readChange(app.t, other)
			app.apply(other, c)
			for _, step := range c.Way {
				app.take(step, other, c)
			}
			return
		}
	}
	app.t.Fatalf("no case is called %q", name)
}

// take does one step of the way back.
func (app *application) take(step string, own *fixture.Case, c change) {
	app.t.Helper()
	switch verb, code, _ := strings.Cut(step, " "); verb {
	case "edit":
		text := fixture.ReadFile(app.t, app.dir, "retention.yaml")
		for old := range c.Edit {
			if !strings.Contains(text, old) {
				app.t.Fatalf("the policy file does not contain %q", old)
			}
		}
		soon := time.Now().AddDate(0, 1, 0).Format(time.DateOnly)
		app.write("retention.yaml", strings.ReplaceAll(replacer(c.Edit).Replace(text), "SOON", soon))
	case "snapshot", "generate":
		app.must(verb)
	case "usual":
		app.usualWay()
	case "migrate":
		app.must("migrate", "up")
	case "run":
		if states := app.runAll(); len(states) > 0 {
			app.t.Errorf("runs end %v\n%s", states, app.messages())
		}
	case "bootstrap":
		if exit, _, stderr := app.pgretain("", "bootstrap", "--migrator", app.migrator, "--apply"); exit != 0 {
			app.t.Fatalf("bootstrapping: exit code %d, %s", exit, stderr)
		}
	case "hint":
		app.paste(code)
	case "file":
		app.psql("SET ROLE " + app.migrator + "; BEGIN;\n" + app.upPart(code) + "COMMIT;")
	case "own":
		app.psql("SET ROLE " + kit.Migrator + ";\n" + own.Text("own.sql"))
	default:
		app.t.Fatalf("no step is called %q", step)
	}
}

// paste executes the hints of all findings with a code as they stand, as a superuser.
func (app *application) paste(code string) {
	app.t.Helper()
	verb := "verify"
	if code < "V" {
		verb = "lint"
	}
	var script []string
	for _, f := range app.found(verb) {
		if f.Code == code {
			script = append(script, f.Hint)
			app.hints = append(app.hints, "hint: "+strings.Join(strings.Fields(f.Hint), " ")+"\n")
		}
	}
	if len(script) == 0 {
		app.t.Fatalf("%s does not report %s", verb, code)
	}
	app.psql(strings.Join(script, "\n"))
}

// oid matches an OID in a hint. It differs between versions of PostgreSQL.
var oid = regexp.MustCompile(`(rel = |ConstraintTrigger_[ac]_)\d+`)

// upPart returns the Up part of the migration that the hint of a finding names.
func (app *application) upPart(code string) string {
	app.t.Helper()
	file := regexp.MustCompile(`the Up part of (\S+\.sql)`)
	for _, f := range app.found("verify") {
		if name := file.FindStringSubmatch(f.Hint); f.Code == code && name != nil {
			up, _, _ := strings.Cut(fixture.ReadFile(app.t, app.dir, name[1]), "-- +goose Down")
			return up
		}
	}
	app.t.Fatalf("verify does not report %s with a file", code)
	return ""
}

func replacer(texts map[string]string) *strings.Replacer {
	var pairs []string
	for _, old := range slices.Sorted(maps.Keys(texts)) {
		pairs = append(pairs, old, texts[old])
	}
	return strings.NewReplacer(pairs...)
}

// codes returns the codes of findings, each once, sorted.
func codes(findings []finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, f.Code)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func said(findings []finding) string {
	var out strings.Builder
	for _, f := range findings {
		out.WriteString(f.Code + " " + f.Message + "\n    " + f.Detail + "\n    hint: " + f.Hint + "\n")
	}
	return out.String()
}

// messages returns what the last run of each policy said.
func (app *application) messages() string {
	app.t.Helper()
	return strings.Join(pgtest.Column[string](app.t, app, `
		SELECT DISTINCT ON (policy) policy || ' ' || state || ': ' || coalesce(sqlstate, '') || coalesce(message, '')
		FROM retention.run ORDER BY policy, id DESC`), "\n")
}
