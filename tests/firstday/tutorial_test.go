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
	// What differs from one time to the other: instants, durations, sizes, numbers of objects, the
	// width of columns.
	tutorialVaries = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:[\d.]+\+00|[\d.,]+ ?(?:ms|s|kB)\b|\d+ objects|-{3,}`)
	// of a run that takes long
	tutorialProgress = regexp.MustCompile(`(?m)^\w+: (\[[#.]{20}\] )?[0-9,]+( of [0-9,]+)? rows, .*\n`)
)

// TestTutorial goes through docs/tutorial.md: its SQL, its edits of the policy file, and its
// commands, which say what the page shows. Then other pages' sequences of commands are executed in
// further databases of the server.
func TestTutorial(t *testing.T) {
	t.Parallel()
	db, commands := pgtest.CronServer(t), 0
	p := newPerson(t, db.URL("shop"))
	hour := fmt.Sprintf("%02d", time.Now().Add(6*time.Hour).UTC().Hour()) // no tick comes meanwhile
	page := strings.NewReplacer(`+    schedule: "17 3 `, `+    schedule: "17 `+hour+" ", "on schedule 17 3 ",
		"on schedule 17 "+hour+" ", "| 17 3 ", "| 17 "+hour+" ").
		Replace(fixture.ReadFile(t, "../../docs/tutorial.md"))
	for _, block := range tutorialBlock.FindAllStringSubmatch(page, -1) {
		switch block[1] {
		case "sql":
			db.Exec(t, block[2]+"RESET ROLE")
		case "diff":
			p.write("retention.yaml", patched(t, p.read("retention.yaml"), block[2]))
		case "console":
			for _, command := range tutorialCommand.FindAllStringSubmatch(block[2], -1) {
				commands++
				if said := p.shell(command[1]); !shownBy(command[2]).MatchString(same(said)) {
					t.Errorf("%s: the page shows\n%s\nand it says\n%s", command[1], command[2], said)
				}
			}
		default:
			t.Errorf("the page has a block of %s", block[1])
		}
	}
	if commands < 10 {
		t.Errorf("the page has %d commands", commands)
	}

	db.Exec(t, "CREATE ROLE shop_owner LOGIN")
	const policy = "version: 1\ninstall: {scheduler: none}\npolicies: {sessions_old: {table: app.session, due: " +
		"{expires: {column: expires_at}}, then: [delete]}}"
	sequence(t, db.Sibling(t, "migrated"), policy, "migrators.md", "pgretain migrate",
		"SELECT count(*) = 0 FROM app.session")
	sequence(t, db.Sibling(t, "by_psql"), policy, "migrators.md", "psql", "SELECT count(*) = 0 FROM app.session")
	elsewhere := regexp.MustCompile("(?s)\n## pg_cron in another database\n.*?```yaml\n(.*?)```").FindStringSubmatch(fixture.ReadFile(t, "../../docs/scheduling.md"))
	sequence(t, db.Sibling(t, "shop"), elsewhere[1], "scheduling.md", "pg_cron in another database",
		"SELECT count(*) = 1 FROM app.session")
	if jobs := pgtest.Value[int](t, db, "SELECT count(*) FROM cron.job WHERE jobname = 'shop.retention.sessions' "+
		"AND database = 'shop'"); jobs != 1 {
		t.Errorf("%d jobs are scheduled in the other database", jobs)
	}
}

// sequence executes the first block below a heading, as the role that owns a table with a policy,
// which ends in a state.
func sequence(t *testing.T, db *pgtest.DB, policy, page, heading, state string) {
	t.Helper()
	db.Exec(t, `CREATE SCHEMA app AUTHORIZATION shop_owner; SET ROLE shop_owner;
		CREATE TABLE app.session (id bigint PRIMARY KEY, expires_at timestamptz NOT NULL); INSERT INTO app.session VALUES (1, '2024-01-01'); RESET ROLE`)
	p := newPerson(t, db.URL("shop_owner"))
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
		t.Errorf("%s: %s: after %d commands it is not so: %s", page, heading, len(lines), state)
	}
}

// shell runs a line as bash does, which must succeed, and returns what it writes.
func (p *person) shell(line string) string {
	p.Helper()
	cmd := exec.Command("bash", "-o", "pipefail", "-c", line)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), kit.ConnectionEnv(p.T, p.url)...)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(kit.Program(p.T))+":"+os.Getenv("PATH"))
	said, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", line, err, said)
	}
	return string(said)
}

// same is a text without what varies.
func same(text string) string {
	return regexp.MustCompile(` +`).ReplaceAllString(tutorialVaries.ReplaceAllString(tutorialProgress.ReplaceAllString(text, ""), " "), " ")
}

// shownBy matches what a page shows, in which a line "..." stands for any others.
func shownBy(text string) *regexp.Regexp {
	return regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(same(text)), `\.\.\.`+"\n", `(?:.*\n)*`) + `$`)
}

// patched replaces the lines of a file that begin with "-" in an edit by those that begin with "+".
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
		t.Fatalf("what the page edits is there %d times in\n%s", n, file)
	}
	return strings.Replace(file, before.String(), after.String(), 1)
}
