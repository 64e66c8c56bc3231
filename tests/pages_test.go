package tests

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

const schedulingPolicy = `version: 1
install: {database: shop, scheduler: none}
policies:
  sessions:
    table: app.session
    due: {age: {column: at, older_than: 30 days}}
    breaker: {fraction: 1}
    then: [delete]
jobs:
  sessions: {schedule: "*/5 * * * *", run: [sessions]}
`

// testSchedulingPage executes what the units of docs/scheduling.md execute, against a real server
// without pg_cron.
func testSchedulingPage(t *testing.T, binary string) {
	db := pgtest.Database(t)
	db.Exec(t, `CREATE SCHEMA app; CREATE TABLE app.session (id bigint PRIMARY KEY, at timestamptz);
		INSERT INTO app.session SELECT n, now() - n * interval '1 day' FROM generate_series(1, 60) n`)
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", schedulingPolicy)
	c.must("snapshot")
	c.generate()
	bootstrapping.Lock()
	db.Exec(t, c.must("bootstrap", "--database", db.Name).stdout)
	bootstrapping.Unlock()
	c.must("migrate", "up")
	c.must("verify")

	page := fixture.ReadFile(t, "..", "docs", "scheduling.md")
	service := unit(t, page, "pgretain@.service")
	timer := unit(t, page, "pgretain@sessions.timer")
	verifyUnits(t, service, timer)
	line := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(service)
	variables := regexp.MustCompile(`(?m)^Environment=(PGHOST.*)$`).FindStringSubmatch(service)
	if line == nil || variables == nil {
		t.Fatal("the service has no ExecStart or no PGHOST")
	}
	command := strings.ReplaceAll(strings.Replace(line[1], "/usr/local/bin/pgretain", binary, 1), "%i", "sessions")
	c.shell(t, db, 0, "env "+variables[1]+" CONNECTION "+command)
	if left := pgtest.Value[int64](t, db, "SELECT count(*) FROM app.session WHERE id > 30"); left != 0 {
		t.Errorf("%d old rows are left", left)
	}

	pod := strings.Replace(container(t, page), "pgretain", binary, 1)
	c.shell(t, db, 0, "CONNECTION "+pod)
	c.shell(t, db, 2, "CONNECTION "+strings.ReplaceAll(pod, "sessions", "no_such_job"))
	c.shell(t, db, 2, "CONNECTION PGPORT=1 "+pod)
	db.Exec(t, "SELECT retention.pause('sessions', 'test')")
	c.shell(t, db, 1, "CONNECTION "+pod)
	db.Exec(t, "SELECT retention.resume('sessions')")
	want := []string{"kubernetes done", "kubernetes paused", "systemd done"}
	got := pgtest.Column[string](t, db, "SELECT reason || ' ' || state FROM retention.run WHERE policy = 'sessions' AND job = 'sessions' ORDER BY 1")
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("the run log has %q, want %q", got, want)
	}

	// Long ago nobody called any more: verify says so by the policy file's schedule.
	c.must("verify")
	db.Exec(t, `UPDATE retention.run SET started_at = started_at - interval '3 days', ended_at = ended_at - interval '3 days';
		UPDATE retention.total SET last_success_at = last_success_at - interval '3 days'`)
	if r := c.run("verify"); r.code != 1 || strings.Count(r.stdout, "has not succeeded in time [V045]") != 1 ||
		!strings.Contains(r.stdout, `whatever calls "pgretain run --job sessions"`) {
		t.Errorf("a job that nobody calls is not late:\n%s", r.stdout)
	}
}

// shell runs a line in which CONNECTION stands for this test's own variables.
func (c *cli) shell(t *testing.T, db *pgtest.DB, code int, line string) {
	t.Helper()
	u, err := url.Parse(db.URL("retention_runner"))
	if err != nil {
		t.Fatal(err)
	}
	host, port := u.Query().Get("host"), u.Query().Get("port")
	if host == "" {
		host, port = u.Hostname(), u.Port()
	}
	own := "PGHOST=" + host + " PGPORT=" + port + " PGDATABASE=" + db.Name + " PGUSER=retention_runner"
	r := c.finish(c.script(strings.Replace(line, "CONNECTION", own, 1)))
	if r.code != code {
		t.Errorf("%s: exit code %d, want %d\n%s%s", line, r.code, code, r.stdout, r.stderr)
	}
}

func (c *cli) script(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = c.dir
	return cmd
}

// unit is a file of systemd's on the page, which names itself in its first line.
func unit(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```ini\n# /etc/systemd/system/" + regexp.QuoteMeta(name) + "\n(.*?)```").FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no unit %s on the page", name)
	}
	return found[1]
}

// container is the command of the CronJob on the page.
func container(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```yaml\n(apiVersion: batch/v1\n.*?)```").FindStringSubmatch(page)
	if found == nil {
		t.Fatal("no CronJob on the page")
	}
	var job struct {
		Spec struct {
			TimeZone    string `yaml:"timeZone"`
			Concurrency string `yaml:"concurrencyPolicy"`
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Command []string }
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	if err := yaml.Unmarshal([]byte(found[1]), &job); err != nil {
		t.Fatal(err)
	}
	containers := job.Spec.JobTemplate.Spec.Template.Spec.Containers
	if len(containers) != 1 || job.Spec.TimeZone != "Etc/UTC" || job.Spec.Concurrency != "Forbid" {
		t.Fatalf("the CronJob is %+v", job)
	}
	return strings.Join(containers[0].Command, " ")
}

// verifyUnits asks systemd itself, where there is one.
func verifyUnits(t *testing.T, service, timer string) {
	t.Helper()
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"pgretain@.service": service, "pgretain@sessions.timer": timer} {
		text = strings.Replace(text, "/usr/local/bin/pgretain", "/bin/true", 1) // it must exist
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(program, "verify", "--man=no", filepath.Join(dir, "pgretain@sessions.timer"), filepath.Join(dir, "pgretain@sessions.service")).CombinedOutput()
	if text := string(out); err != nil || strings.Contains(text, "pgretain@") {
		t.Errorf("systemd-analyze: %v\n%s", err, text)
	}
	calendar := regexp.MustCompile(`(?m)^OnCalendar=(.*)$`).FindStringSubmatch(timer)
	if out, err := exec.Command(program, "calendar", calendar[1]).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze calendar: %v\n%s", err, out)
	}
}

// testScheduleRefused: what the pg_cron at hand takes it says itself; what it does not take is refused with
// the line of the policy file, and nothing is applied.
func testScheduleRefused(t *testing.T, binary string) {
	db := pgtest.CronServer(t)
	db.Exec(t, "CREATE SCHEMA app; CREATE TABLE app.session (id bigint PRIMARY KEY, at timestamptz)")
	for schedule, want := range map[string]string{"30 seconds": "seconds", "0 3 $ * *": "$"} {
		_, err := db.Conn(t).Exec(t.Context(), "SELECT cron.schedule('probe', $1, 'SELECT 1')", schedule)
		c := newCLI(t, binary, db.URL(""), t.TempDir())
		text := strings.NewReplacer("database: shop, scheduler: none", "roles: none", "*/5 * * * *", schedule).Replace(schedulingPolicy)
		c.write("retention.yaml", text)
		c.must("snapshot")
		c.generate()
		if err == nil {
			c.must("migrate", "up")
			c.must("migrate", "down", "--all")
			continue
		}
		c.want(1, "retention.yaml:10:24: error: the pg_cron of database", "migrate", "up")
		c.want(1, want, "migrate", "up")
		if pgtest.Value[bool](t, db, "SELECT to_regclass('retention.goose_db_version') IS NOT NULL") {
			t.Error("a refused migration wrote something")
		}
		if jobs := pgtest.Value[int64](t, db, "SELECT count(*) FROM cron.job"); jobs != 0 {
			t.Errorf("trying schedules left %d jobs", jobs)
		}
		// The step that schedules it is pending, and the one that mends it comes after it: the message says the way out.
		const out = `Remove the files that are not applied, then run "pgretain snapshot" and "pgretain generate".`
		c.want(1, out, "migrate", "up")
		c.write("retention.yaml", strings.Replace(text, schedule, "*/5 * * * *", 1))
		c.generate()
		c.want(2, out, "migrate", "up")
		for _, name := range regexp.MustCompile(`(?m)^(\S+\.sql) +pending`).FindAllStringSubmatch(c.run("migrate", "status").stdout, -1) {
			if err := os.Remove(filepath.Join(c.dir, "migrations", filepath.Base(name[1]))); err != nil {
				t.Fatal(err)
			}
		}
		c.must("snapshot")
		c.generate()
		c.must("migrate", "up")
		if jobs := pgtest.Column[string](t, db, "SELECT schedule FROM cron.job WHERE jobname = 'retention.sessions'"); !slices.Equal(jobs, []string{"*/5 * * * *"}) {
			t.Errorf("scheduled: %q", jobs)
		}
		c.must("migrate", "down", "--all")
	}
}

// testCIPage executes what the workflows of docs/ci.md execute: with a database that conforms, with one
// that has drifted, and with none.
func testCIPage(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	page := fixture.ReadFile(t, "../docs", "ci.md")
	var actions struct {
		Jobs map[string]struct {
			Steps []struct{ ID, Run string }
		}
	}
	var gitlab map[string]struct{ Script []string }
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 || yaml.Unmarshal([]byte(blocks[0][1]), &actions) != nil || yaml.Unmarshal([]byte(blocks[1][1]), &gitlab) != nil {
		t.Fatalf("the page has %d workflows", len(blocks))
	}
	scripts := map[string]string{}
	for job, steps := range actions.Jobs {
		for _, step := range steps.Steps {
			scripts["actions "+job] += step.Run + "\n"
		}
	}
	for job, lines := range gitlab {
		scripts["gitlab "+job] = strings.Join(lines.Script, "\n") + "\n"
	}
	if len(scripts) != 4 {
		t.Fatalf("the jobs are %v", scripts)
	}
	for _, state := range []struct {
		name, tamper, url string
		code              int
	}{
		{"conforms", "SELECT 1", c.url, 0},
		{"drifted", "DROP FUNCTION retention.pause(text, text)", c.url, 1},
		{"not there", "SELECT 1", "postgres:///?host=" + t.TempDir(), 2},
	} {
		db.Exec(t, state.tamper)
		for name, script := range scripts {
			code := state.code
			if strings.HasSuffix(name, "policy") { // needs no database
				code = 0
			}
			inCI(t, c, state.name+" "+name, state.url, script, code)
		}
	}
}

// inCI runs a script as a runner does. Connection settings are the URL's.
func inCI(t *testing.T, c *cli, name, url, script string, code int) {
	t.Helper()
	path, output := t.TempDir(), filepath.Join(t.TempDir(), "output")
	wrapper := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = verify ]; then exec '%s' \"$@\" --database-url '%s'; fi\nexec '%s' \"$@\"\n", c.binary, url, c.binary)
	if err := os.WriteFile(filepath.Join(path, "pgretain"), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-e", "-c", script)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PATH="+path+":"+os.Getenv("PATH"), "GITHUB_OUTPUT="+output, "GITHUB_WORKSPACE="+c.dir)
	r := c.finish(cmd)
	if r.code != code {
		t.Errorf("%s: exit code %d, want %d\n%s%s", name, r.code, code, r.stdout, r.stderr)
	}
	if !strings.HasSuffix(name, "actions database") {
		return
	}
	written, _ := os.ReadFile(output)
	if (string(written) == "report=verify.sarif\n") != (code < 2) {
		t.Errorf("%s: the step says %q", name, written)
	}
	if found := strings.Contains(fixture.ReadFile(t, c.dir, "verify.sarif"), `"ruleId": "V002"`); found != (code == 1) {
		t.Errorf("%s: V002 in the log: %t", name, found)
	}
}
