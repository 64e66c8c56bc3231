package migrators

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// TestNewcomer types the commands of docs/migrators.md for a project that has its own migrations
// for goose. With "git clone" they are at most eight, and none prints an error. Afterwards pg_cron
// runs the policy.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, "CREATE ROLE shop_owner LOGIN; GRANT CREATE ON SCHEMA public TO shop_owner")
	p := newProjectAt(t, db, "shop_owner")
	p.need(tools["goose"].command)
	if err := os.CopyFS(filepath.Join(p.dir, "migrations"), os.DirFS("testdata/newcomer")); err != nil {
		t.Fatal(err)
	}
	p.shell(`goose -dir migrations postgres "" up`)
	pgtest.Exec(t, db.Conn(t, "shop_owner"), `
		INSERT INTO customer VALUES (1, 'Ada');
		INSERT INTO session (customer_id, expires_at)
		SELECT 1, now() - n * interval '1 day' - interval '1 hour' FROM generate_series(1, 100) n`)

	page := fixture.ReadFile(t, "../../docs/migrators.md")
	section := strings.Split(page, "\n## goose\n")[1]
	commands := strings.Split(strings.TrimSpace(
		regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)[1]), "\n")
	if len(commands) > 7 || commands[0] != "go install ./cmd/pgretain" {
		t.Fatalf("%d commands after \"git clone\", want at most 7, of which the first installs: %q", len(commands),
			commands)
	}
	for _, command := range commands {
		if command == "pgretain run --first" {
			command += " --yes"
		}
		output := p.shell(command)
		if wrong := regexp.MustCompile(`(?i).*\b(error|warning|drift:).*`).FindString(output); wrong != "" {
			t.Errorf("%s prints %q:\n%s", command, wrong, output)
		}
		if command == "pgretain init" {
			p.write("retention.yaml", accept(t, p.read("retention.yaml")))
		}
	}
	if left := pgtest.Value[int](t, db, "SELECT count(*) FROM session"); left != 6 {
		t.Errorf("run --first left %d sessions, want the 6 that expired in the last 7 days", left)
	}
	db.Exec(t, "INSERT INTO session (customer_id, expires_at) SELECT 1, now() - interval '30 days'")
	pgtest.Until(t, db, `SELECT EXISTS (SELECT FROM retention.run WHERE job = 'retention' AND taken = 1)`)
}

// accept accepts the only proposal of a policy file, and gives its job a tick each minute.
func accept(t *testing.T, file string) string {
	t.Helper()
	proposal := regexp.MustCompile(`(?ms)^#   session_expired:.*?delete\]`)
	job := regexp.MustCompile(`(?ms)^#   retention:.*?- session_expired`)
	for _, part := range []*regexp.Regexp{proposal, job} {
		if found := part.FindAllString(file, -1); len(found) != 1 {
			t.Fatalf("the policy file has %d times %s:\n%s", len(found), part, file)
		}
		file = part.ReplaceAllStringFunc(file, func(text string) string {
			return regexp.MustCompile(`(?m)^# `).ReplaceAllString(text, "")
		})
	}
	return strings.Replace(file, `"17 3 * * *"`, `"* * * * *"`, 1)
}

// shell runs a command line of a page in the project, or in the repository if the command builds
// pgretain. It must succeed. It returns what the command prints.
func (p *project) shell(line string) string {
	p.Helper()
	cmd := exec.Command("bash", "-o", "pipefail", "-c", line)
	cmd.Dir, cmd.Env = p.dir, append(p.env, "GOBIN="+filepath.Join(p.dir, "bin"))
	if strings.HasPrefix(line, "go install ") {
		cmd.Dir = "../.."
	}
	output, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", line, err, output)
	}
	return string(output)
}
