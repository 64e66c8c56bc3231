// Package migrators installs a project with the migration tools that people use: the tools
// themselves, from the recipes of docs/frameworks.md.
package migrators

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// tools are the tools by name. The file testdata/tools/<name>.sh has functions that prepare a
// project of the tool, add a migration to it and take it out again, apply all migrations, and undo
// the last ones.
var tools = map[string]struct {
	format  generator.Format
	command string // what has to be installed, or the Go package that the test installs
	recipe  string // heading in docs/frameworks.md of the file that the tool needs; "" for none
	noDown  bool   // the tool has no way back
}{
	"golang-migrate":  {generator.Plain, "github.com/golang-migrate/migrate/v4/cmd/migrate@v4.19.1", "", false},
	"goose":           {generator.Goose, "github.com/pressly/goose/v3/cmd/goose@v3.29.0", "", false},
	"tern":            {generator.Tern, "github.com/jackc/tern/v2@v2.3.4", "", false},
	"sqitch":          {generator.Psql, "sqitch", "", false},
	"alembic":         {generator.Plain, "/usr/share/doc/python3-alembic", "Alembic", false},
	"django":          {generator.Plain, "/usr/share/doc/python3-django", "Django", false},
	"rails":           {generator.Plain, "/usr/share/doc/ruby-activerecord", "Rails", false},
	"node-pg-migrate": {generator.Plain, "node-pg-migrate", "node-pg-migrate", false},
	"knex":            {generator.Plain, "knex", "knex", false},
	"postgrator":      {generator.Plain, "$NODE_PATH/postgrator", "", false},
	"typeorm":         {generator.Plain, "typeorm", "TypeORM", false},
	"drizzle":         {generator.Plain, "drizzle-kit", "", true},
}

const tables = `
	CREATE TABLE author (id bigint PRIMARY KEY, name text);
	CREATE TABLE note (id bigint PRIMARY KEY, author_id bigint REFERENCES author, at timestamptz NOT NULL);
	CREATE TABLE visit (id bigint, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE visit_old PARTITION OF visit FOR VALUES FROM ('2020-01-01') TO ('2024-01-01');
	CREATE TABLE visit_new PARTITION OF visit FOR VALUES FROM ('2024-01-01') TO ('2100-01-01');
	INSERT INTO author VALUES (1, 'Ada');
	INSERT INTO note SELECT n, 1, now() - n * interval '1 day' FROM generate_series(1, 60) n;
	INSERT INTO visit SELECT n, now() - n * interval '1 day' FROM generate_series(1, 60) n`

const policyFile = `version: 1
install: {migrations: retention, format: %s}
policies:
  note_old:
    table: note
    ensure: {kept_for: {type: text}}
    where: kept_for IS NULL
    due: {age: {column: at, older_than: %d days}}
    then: [delete]
  visit_old: {table: visit, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
jobs:
  nightly: {schedule: "0 3 * * *", run: [note_old, visit_old]}
`

// project is a project in a directory of its own.
type project struct {
	*testing.T
	dir    string
	db     *pgtest.DB
	script string
	env    []string
}

// TestTools applies a first step with each tool, runs the policies, applies a changed policy, and
// undoes both steps. After each step "pgretain verify" must find no difference.
func TestTools(t *testing.T) {
	t.Parallel()
	for name, tool := range tools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, "tools/"+name, tables)
			p.need(tool.command)
			if tool.recipe != "" {
				p.write("wrapper", recipe(t, "frameworks.md", "\n## "+tool.recipe+"\n"))
			}
			p.tool("prepare")

			p.write("retention.yaml", fmt.Sprintf(policyFile, tool.format, 30))
			p.pgretain("snapshot")
			first := p.generate()
			p.tool("up")
			p.pgretain("verify --skip V040,V044")
			p.db.Exec(t, "CALL retention.run_job('nightly')")
			p.expectRows(29)

			before := p.read("retention.yaml")
			p.write("retention.yaml", fmt.Sprintf(policyFile, tool.format, 20))
			second := p.generate()
			p.tool("up")
			p.pgretain("verify --skip V040,V044")
			p.db.Exec(t, "CALL retention.run_job('nightly')")
			p.expectRows(19)
			if tool.noDown {
				return
			}

			p.tool("down", fmt.Sprint(second))
			p.write("retention.yaml", before)
			p.removeLast(second, tool.format)
			p.pgretain("verify --skip V040,V044")
			p.tool("down", fmt.Sprint(first))
			left := pgtest.Column[string](t, p.db, `SELECT c.relname::text FROM pg_class c
				WHERE c.relnamespace = to_regnamespace('retention') OR c.relname LIKE 'pgretain%'`)
			if len(left) > 0 {
				t.Errorf("after Down of all steps there are relations of pgretain: %q", left)
			}
			p.expectRows(19)
		})
	}
}

// need installs a Go package. It skips the test if another tool is not installed. "make
// test-migrators" installs those, and sets PGRETAIN_TEST_MIGRATORS.
func (p *project) need(command string) {
	p.Helper()
	if strings.Contains(command, "@") {
		bin := filepath.Join(p.dir, "bin")
		const tags = "pgx5,no_clickhouse,no_libsql,no_mssql,no_mysql,no_sqlite3,no_vertica,no_ydb"
		cmd := exec.Command("go", "install", "-tags", tags, command)
		cmd.Env = append(os.Environ(), "GOBIN="+bin)
		if output, err := cmd.CombinedOutput(); err != nil {
			p.Fatalf("installing %s: %v\n%s", command, err, output)
		}
		p.env = append(p.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		return
	}
	command = os.ExpandEnv(command)
	_, err := exec.LookPath(command)
	if _, missing := os.Stat(command); err == nil || missing == nil {
		return
	}
	if os.Getenv("PGRETAIN_TEST_MIGRATORS") != "" {
		p.Fatalf("%s is missing", command)
	}
	p.Skipf("%s is not installed; make test-migrators installs it", command)
}

func newProject(t *testing.T, script, schema string) *project {
	p := newProjectAt(t, pgtest.Database(t), "")
	p.db.Exec(t, schema)
	p.script = fixture.ReadFile(t, "testdata", script+".sh")
	return p
}

// newProjectAt returns an empty project whose tools connect to db as role.
func newProjectAt(t *testing.T, db *pgtest.DB, role string) *project {
	p := &project{T: t, dir: t.TempDir(), db: db}
	p.env = append(os.Environ(), kit.ConnectionEnv(t, db.URL(role))...)
	address := regexp.MustCompile(`^postgres(ql)?://`).ReplaceAllString(db.URL(role), "")
	p.env = append(p.env, "DATABASE_URL=postgres://"+address, "ADDRESS="+address, "PGSSLMODE=disable",
		"SQITCH_FULLNAME=shop", "SQITCH_EMAIL=shop@example.com", "NODE_PATH="+os.Getenv("NODE_PATH"))
	return p
}

// tool calls a function of the tool's script, and returns what it prints. It does nothing if the
// script has no such function.
func (p *project) tool(function string, arguments ...string) string {
	p.Helper()
	const call = "set -euo pipefail\n%s\nif declare -F %s >/dev/null; then %[2]s %s; fi\n"
	cmd := exec.Command("bash", "-c", fmt.Sprintf(call, p.script, function, strings.Join(arguments, " ")))
	cmd.Dir, cmd.Env = p.dir, p.env
	code, stdout, stderr := kit.RunCommand(p.T, cmd)
	if code != 0 {
		p.Fatalf("%s %v: exit code %d\n%.4000s\n%.4000s", function, arguments, code, stdout, stderr)
	}
	return stdout
}

func (p *project) pgretain(line string) {
	p.Helper()
	cmd := exec.Command(kit.Program(p.T), strings.Fields(line)...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if code, stdout, stderr := kit.RunCommand(p.T, cmd); code != 0 {
		p.Fatalf("pgretain %s: exit code %d\n%s%s", line, code, stdout, stderr)
	}
}

// up matches the names of the files that a tool applies, and gives them without direction and
// extension.
var up = regexp.MustCompile(`^([0-9]+_\w+?)(?:\.up)?\.sql$`)

// generate writes the next step, adds its files to the tool's project, and returns their number.
func (p *project) generate() (n int) {
	p.Helper()
	before := p.files()
	p.pgretain("generate")
	for _, name := range p.files() {
		if !slices.Contains(before, name) {
			p.tool("wrap", name)
			n++
		}
	}
	if n == 0 {
		p.Fatal("generate wrote no file")
	}
	return n
}

// files returns the migrations in the directory, sorted, without directions and extensions.
func (p *project) files() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(p.dir, "retention")) // the first generate creates it
	for _, entry := range entries {
		if found := up.FindStringSubmatch(entry.Name()); found != nil {
			names = append(names, found[1])
		}
	}
	return names
}

// removeLast removes the last n migrations from the directory of pgretain, as a checkout of the
// commit before them does.
func (p *project) removeLast(n int, format generator.Format) {
	p.Helper()
	files := p.files()
	for _, name := range files[len(files)-n:] {
		p.tool("unwrap", name)
		found, err := filepath.Glob(filepath.Join(p.dir, "retention", name+".*"))
		if err != nil || len(found) == 0 {
			p.Fatalf("there is no file of %s for %s: %v", name, format, err)
		}
		for _, path := range found {
			if err := os.Remove(path); err != nil {
				p.Fatal(err)
			}
		}
	}
}

// expectRows checks that each table has the rows of the last days alone.
func (p *project) expectRows(days int) {
	p.Helper()
	var want []int64
	for id := range days {
		want = append(want, int64(id)+1)
	}
	got := pgtest.Column[int64](p.T, p.db, "SELECT id FROM note ORDER BY id")
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("rows of note (-want +got):\n%s", diff)
	}
	got = pgtest.Column[int64](p.T, p.db, "SELECT id FROM visit ORDER BY id")
	if len(got) != 29 {
		p.Errorf("visit has %d rows, want 29", len(got))
	}
}

func (p *project) read(name string) string {
	p.Helper()
	return fixture.ReadFile(p.T, p.dir, name)
}

func (p *project) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

// recipe returns the code below a heading of a page.
func recipe(t *testing.T, page, heading string) string {
	t.Helper()
	_, section, found := strings.Cut(fixture.ReadFile(t, "../../docs", page), heading)
	_, code, fenced := strings.Cut(section, "\n```")
	_, code, _ = strings.Cut(code, "\n")
	code, _, closed := strings.Cut(code, "```\n")
	if !found || !fenced || !closed {
		t.Fatalf("%s has no code below %q", page, heading)
	}
	return code
}
