package firstday

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

var (
	tutorialBlock   = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	tutorialCommand = regexp.MustCompile(`(?m)^\$ (.*)\n((?:[^$\n].*\n|\n)*)`)
	// tutorialVaries matches output that differs between executions: timestamps, durations, sizes,
	// numbers of objects, and the width of columns.
	tutorialVaries = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:[\d.]+\+00|[\d.,]+ ?(?:ms|s|kB)\b|\d+ objects|-{3,}`)
	// tutorialProgress matches the progress lines of a run that takes long.
	tutorialProgress = regexp.MustCompile(`(?m)^\w+: (\[[#.]{20}\] )?[0-9,]+( of [0-9,]+)? rows, .*\n`)
)

// TestTutorial executes docs/tutorial.md: its SQL, its edits of the policy file, and its commands,
// whose output must be as on the page. Then it executes the commands of other pages, in further
// databases of the server.
func TestTutorial(t *testing.T) {
	t.Parallel()
	db, commands := pgtest.CronServer(t), 0
	p := newUser(t, db.URL("shop"))
	hour := fmt.Sprintf("%02d", time.Now().Add(6*time.Hour).UTC().Hour()) // no run starts during the test
	page := strings.NewReplacer(
		`+    schedule: "17 3 `, `+    schedule: "17 `+hour+" ",
		"on schedule 17 3 ", "on schedule 17 "+hour+" ",
		"| 17 3 ", "| 17 "+hour+" ",
	).Replace(fixture.ReadFile(t, "../../docs/tutorial.md"))
	for _, block := range tutorialBlock.FindAllStringSubmatch(page, -1) {
		switch block[1] {
		case "sql":
			db.Exec(t, block[2]+"RESET ROLE")
		case "diff":
			p.write("retention.yaml", patched(t, p.read("retention.yaml"), block[2]))
		case "console":
			for _, command := range tutorialCommand.FindAllStringSubmatch(block[2], -1) {
				commands++
				if output := p.shell(command[1]); !shownBy(command[2]).MatchString(withoutVarying(output)) {
					t.Errorf("%s: the page shows\n%s\nbut the command writes\n%s", command[1], command[2], output)
				}
			}
		default:
			t.Errorf("the page has a block of %s; the test knows sql, diff and console", block[1])
		}
	}
	if commands < 10 {
		t.Errorf("the page has %d commands, want at least 10", commands)
	}

	db.Exec(t, "CREATE ROLE shop_owner LOGIN")
	const policy = `version: 1
install: {scheduler: none}
policies: {sessions_old: {table: app.session, due: {expires: {column: expires_at}}, then: [delete]}}`
	sequence(t, db.Sibling(t, "migrated"), policy, "migrators.md", "pgretain migrate",
		"SELECT count(*) = 0 FROM app.session")
	sequence(t, db.Sibling(t, "by_psql"), policy, "migrators.md", "psql", "SELECT count(*) = 0 FROM app.session")
	elsewhere := regexp.MustCompile("(?s)\n## pg_cron in another database\n.*?```yaml\n(.*?)```").
		FindStringSubmatch(fixture.ReadFile(t, "../../docs/scheduling.md"))
	sequence(t, db.Sibling(t, "shop"), elsewhere[1], "scheduling.md", "pg_cron in another database",
		"SELECT count(*) = 1 FROM app.session")
	if jobs := pgtest.Value[int](t, db, `SELECT count(*) FROM cron.job
		WHERE jobname = 'shop.retention.sessions' AND database = 'shop'`); jobs != 1 {
		t.Errorf("pg_cron has %d jobs for the other database, want 1", jobs)
	}
}

// sequence executes the commands of the first block below a heading of a page, as the role that
// owns the policy's table. Afterwards the query state must return true.
func sequence(t *testing.T, db *pgtest.DB, policy, page, heading, state string) {
	t.Helper()
	db.Exec(t, `
		CREATE SCHEMA app AUTHORIZATION shop_owner;
		SET ROLE shop_owner;
		CREATE TABLE app.session (id bigint PRIMARY KEY, expires_at timestamptz NOT NULL);
		INSERT INTO app.session VALUES (1, '2024-01-01');
		RESET ROLE`)
	p := newUser(t, db.URL("shop_owner"))
	p.write("retention.yaml", policy)
	_, text, _ := strings.Cut(fixture.ReadFile(t, "../../docs", page), "\n## "+heading+"\n")
	lines := strings.Split(strings.TrimSpace(regexp.MustCompile(`(?m)(?:^    .*\n)+`).FindString(text)), "\n")
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "pgretain generate") }) {
		lines = append([]string{"pgretain snapshot", "pgretain generate"}, lines...)
	}
	for _, line := range lines {
		p.shell(line)
	}
	if len(lines) < 5 || !pgtest.Value[bool](t, db, state) {
		t.Errorf("%s: %s: after %d commands (want at least 5) this is not true: %s", page, heading, len(lines), state)
	}
}

// shell runs a line in bash, which must succeed, and returns its output.
func (p *user) shell(line string) string {
	p.Helper()
	cmd := exec.Command("bash", "-o", "pipefail", "-c", line)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), kit.ConnectionEnv(p.T, p.url)...)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(kit.Program(p.T))+":"+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", line, err, output)
	}
	return string(output)
}

// withoutVarying removes from a text what differs between executions.
func withoutVarying(text string) string {
	text = tutorialProgress.ReplaceAllString(text, "")
	text = tutorialVaries.ReplaceAllString(text, " ")
	return regexp.MustCompile(` +`).ReplaceAllString(text, " ")
}

// shownBy returns a pattern for the output that a page shows. A line "..." on the page stands for
// any lines.
func shownBy(text string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(withoutVarying(text))
	return regexp.MustCompile(`^` + strings.ReplaceAll(pattern, `\.\.\.`+"\n", `(?:.*\n)*`) + `$`)
}

// patched applies a block in diff format to a file. The old lines must occur in it once.
func patched(t *testing.T, file, edit string) string {
	t.Helper()
	var before, after strings.Builder
	for line := range strings.Lines(edit) {
		if line[0] != '+' {
			before.WriteString(line[1:])
		}
		if line[0] != '-' {
			after.WriteString(line[1:])
		}
	}
	if n := strings.Count(file, before.String()); n != 1 {
		t.Fatalf("the lines that the page edits occur %d times, want once, in\n%s", n, file)
	}
	return strings.Replace(file, before.String(), after.String(), 1)
}
