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

// testSchedulingPage executes the commands in the systemd unit and the CronJob of
// docs/scheduling.md, with a server that has no pg_cron.
func testSchedulingPage(t *testing.T, binary string) {
	db := pgtest.Database(t)
	db.Exec(t, `
		CREATE SCHEMA app;
		CREATE TABLE app.session (id bigint PRIMARY KEY, at timestamptz);
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
	service := shown(t, page, "/etc/systemd/system/pgretain@.service")
	timer := shown(t, page, "/etc/systemd/system/pgretain@sessions.timer")
	verifyUnits(t, service, timer)
	line := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(service)
	variables := regexp.MustCompile(`(?m)^Environment=(PGHOST.*)$`).FindStringSubmatch(service)
	if line == nil || variables == nil {
		t.Fatal("the service has no ExecStart or no PGHOST")
	}
	command := strings.ReplaceAll(strings.Replace(line[1], "/usr/bin/pgretain", binary, 1), "%i", "sessions")
	c.shell(t, db, 0, "env "+variables[1]+" CONNECTION "+command)
	if left := pgtest.Value[int64](t, db, "SELECT count(*) FROM app.session WHERE id > 30"); left != 0 {
		t.Errorf("%d due rows are left, want none", left)
	}

	pod := binary + " " + container(t, page)
	c.shell(t, db, 0, "CONNECTION "+pod)
	c.shell(t, db, 2, "CONNECTION "+strings.ReplaceAll(pod, "sessions", "no_such_job"))
	c.shell(t, db, 2, "CONNECTION PGPORT=1 "+pod)
	db.Exec(t, "SELECT retention.pause('sessions', 'test')")
	c.shell(t, db, 1, "CONNECTION "+pod)
	db.Exec(t, "SELECT retention.resume('sessions')")
	want := []string{"kubernetes done", "kubernetes paused", "systemd done"}
	got := pgtest.Column[string](t, db, `SELECT reason || ' ' || state FROM retention.run
		WHERE policy = 'sessions' AND job = 'sessions' ORDER BY 1`)
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("the run log has %q, want %q", got, want)
	}

	// The last runs were three days ago. verify compares that with the schedule of the policy file.
	c.must("verify")
	db.Exec(t, `
		UPDATE retention.run
		SET started_at = started_at - interval '3 days', ended_at = ended_at - interval '3 days';
		UPDATE retention.total SET last_success_at = last_success_at - interval '3 days'`)
	if r := c.run("verify"); r.code != 1 || strings.Count(r.stdout, "has not succeeded in time [V045]") != 1 ||
		!strings.Contains(r.stdout, `whatever calls "pgretain run --job sessions"`) {
		t.Errorf("verify does not report the job as late:\n%s", r.stdout)
	}
}

// shell runs a line with sh and checks the exit code. CONNECTION stands for the connection
// variables of the test.
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

// shown returns the text of a file on the page. Its first line is a comment with its name.
// .ci/package packs these files.
func shown(t *testing.T, page, name string) string {
	t.Helper()
	_, text, found := strings.Cut(page, "\n# "+name+"\n")
	text, _, whole := strings.Cut(text, "```")
	if !found || !whole {
		t.Fatalf("the page has no file %s", name)
	}
	return text
}

// container returns the arguments of the container in the page's CronJob.
func container(t *testing.T, page string) string {
	t.Helper()
	var job struct {
		Spec struct {
			TimeZone    string `yaml:"timeZone"`
			Concurrency string `yaml:"concurrencyPolicy"`
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Args []string }
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	readYAML(t, shown(t, page, "pgretain-sessions.yaml"), &job)
	containers := job.Spec.JobTemplate.Spec.Template.Spec.Containers
	if len(containers) != 1 || job.Spec.TimeZone != "Etc/UTC" || job.Spec.Concurrency != "Forbid" {
		t.Fatalf("the CronJob is %+v", job)
	}
	return strings.Join(containers[0].Args, " ")
}

// verifyUnits checks the units with systemd-analyze, if it is installed.
func verifyUnits(t *testing.T, service, timer string) {
	t.Helper()
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"pgretain@.service": service, "pgretain@sessions.timer": timer} {
		text = strings.Replace(text, "/usr/bin/pgretain", "/bin/true", 1) // systemd checks that the program exists
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(program, "verify", "--man=no", filepath.Join(dir, "pgretain@sessions.timer"),
		filepath.Join(dir, "pgretain@sessions.service")).CombinedOutput()
	if text := string(out); err != nil || strings.Contains(text, "pgretain@") {
		t.Errorf("systemd-analyze: %v\n%s", err, text)
	}
	calendar := regexp.MustCompile(`(?m)^OnCalendar=(.*)$`).FindStringSubmatch(timer)
	if out, err := exec.Command(program, "calendar", calendar[1]).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze calendar: %v\n%s", err, out)
	}
}

// testScheduleRefused migrates with schedules that some versions of pg_cron accept. If the
// installed one refuses a schedule, the error names the line of the policy file, and no migration
// is applied.
func testScheduleRefused(t *testing.T, binary string) {
	db := pgtest.CronServer(t)
	const schema = "CREATE SCHEMA app; CREATE TABLE app.session (id bigint PRIMARY KEY, at timestamptz);"
	db.Exec(t, schema)
	for schedule, want := range map[string]string{"30 seconds": "seconds", "0 3 $ * *": "$"} {
		_, err := db.Conn(t).Exec(t.Context(), "SELECT cron.schedule('probe', $1, 'SELECT 1')", schedule)
		c := newCLI(t, binary, db.URL(""), t.TempDir())
		text := strings.NewReplacer("database: shop, scheduler: none", "roles: none", "*/5 * * * *",
			schedule).Replace(schedulingPolicy)
		c.write("retention.yaml", text)
		c.must("snapshot")
		c.generate()
		if err == nil {
			c.must("migrate", "up")
			c.must("migrate", "down", "--all")
			continue
		}
		c.want(1, "retention.yaml:10:24: error: pg_cron of database", "migrate", "up")
		c.want(1, want, "migrate", "up")
		c.write("schema.sql", schema)
		if r := c.finish(c.command("lint", "--sandbox", "--schema", "schema.sql")); r.code != 1 ||
			!strings.Contains(r.stderr, "retention.yaml:10:24: error: pg_cron of database") {
			t.Errorf("lint in a sandbox: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
		}
		if pgtest.Value[bool](t, db, "SELECT to_regclass('retention.goose_db_version') IS NOT NULL") {
			t.Error("migrate up refused, but retention.goose_db_version exists")
		}
		if jobs := pgtest.Value[int64](t, db, "SELECT count(*) FROM cron.job"); jobs != 0 {
			t.Errorf("cron.job has %d rows after the refusal, want none", jobs)
		}
		// A further migration with another schedule does not help. The test does what the message
		// says, also after the first migrations were applied.
		c.write("retention.yaml", strings.ReplaceAll(text, schedule, "17 * * * *"))
		c.generate()
		pending := []string{"migrations/00003_retention_policies.sql", "migrations/00004_retention_policies.sql"}
		if want == "$" {
			aside := t.TempDir()
			move := func(from, to string) {
				for _, file := range pending {
					if err := os.Rename(filepath.Join(from, filepath.Base(file)),
						filepath.Join(to, filepath.Base(file))); err != nil {
						t.Fatal(err)
					}
				}
			}
			move(filepath.Join(c.dir, "migrations"), aside)
			c.must("migrate", "up")
			move(aside, filepath.Join(c.dir, "migrations"))
		}
		r := c.run("migrate", "up")
		message := regexp.MustCompile(`(?s)^migrations/00003_retention_policies.sql:\d+:1: error: ` +
			`.*Remove the files that are not applied, then run "pgretain generate"\.\n$`)
		if r.code != 2 || !message.MatchString(r.stderr) {
			t.Fatalf("exit code %d, want 2:\n%s%s", r.code, r.stdout, r.stderr)
		}
		for _, file := range pending {
			if err := os.Remove(filepath.Join(c.dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		c.generate()
		c.must("migrate", "up")
		c.generate("--check")
		schedules := pgtest.Column[string](t, db, "SELECT schedule FROM cron.job WHERE jobname ~ 'sessions'")
		if !slices.Equal(schedules, []string{"17 * * * *"}) {
			t.Errorf("schedules in cron.job: %q, want 17 * * * *", schedules)
		}
		c.must("migrate", "down", "--all")
	}
}

// testCIPage executes the workflows of docs/ci.md: with a database that conforms, with one that has
// drifted, and without a database.
func testCIPage(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	c.write("schema.sql", linesSchema)
	page := fixture.ReadFile(t, "../docs", "ci.md")
	var actions struct {
		Jobs map[string]struct {
			Steps []struct{ ID, Run string }
		}
	}
	var gitlab struct{ Policy, Database struct{ Script []string } }
	readYAML(t, shown(t, page, ".github/workflows/retention.yml"), &actions)
	readYAML(t, shown(t, page, ".gitlab-ci.yml"), &gitlab)
	script := func(job string) (lines string) {
		for _, step := range actions.Jobs[job].Steps {
			lines += step.Run + "\n"
		}
		return lines
	}
	inCI(t, c, "actions policy", "", script("policy"), 0)                                   // needs no database
	rehearsed := strings.NewReplacer("pgretain lint --sandbox --schema schema.sql", "true") // done above
	inCI(t, c, "gitlab policy", "", rehearsed.Replace(strings.Join(gitlab.Policy.Script, "\n")), 0)
	for _, state := range []struct {
		name, tamper, url string
		code              int
	}{
		{"conforms", "SELECT 1", c.url, 0},
		{"drifted", "DROP FUNCTION retention.pause(text, text)", c.url, 1},
		{"not there", "SELECT 1", "postgres:///?host=" + t.TempDir(), 2},
	} {
		db.Exec(t, state.tamper)
		inCI(t, c, state.name+" actions database", state.url, script("database"), state.code)
		inCI(t, c, state.name+" gitlab database", state.url, strings.Join(gitlab.Database.Script, "\n"), state.code)
	}
	testHooks(t, c, page)
	// The page's image has only packages that the project's own tests install.
	root := fixture.ReadFile(t, "../.ci", "make-root")
	for _, name := range regexp.MustCompile(`postgresql-17(\S*)`).FindAllStringSubmatch(shown(t, page, "Dockerfile"),
		-1) {
		if !strings.Contains(root, "postgresql-$version"+name[1]+",") {
			t.Errorf(".ci/make-root does not install %s", name[0])
		}
	}
}

// testHooks commits to a repository with the page's hooks. They run only for changes of the policy
// file and of migrations, and refuse a commit without the generated migration.
func testHooks(t *testing.T, c *cli, page string) {
	var config struct {
		Repos []struct {
			Hooks []struct {
				Entry, Files, Language string
				Names                  bool `yaml:"pass_filenames"`
			}
		}
	}
	readYAML(t, shown(t, page, ".pre-commit-config.yaml"), &config)
	hook := "#!/bin/sh\nset -e\n"
	for _, h := range config.Repos[0].Hooks {
		hook += fmt.Sprintf("! git diff --cached --name-only | grep -Eq '%s' || %s\n", h.Files, h.Entry)
		if h.Language != "system" || h.Names {
			t.Errorf("the hook is %+v, want language system and pass_filenames false", h)
		}
	}
	commit := "git add --all && git -c user.name=a -c user.email=a@example.org commit --quiet --message change"
	inCI(t, c, "first commit", "", "git init --quiet && "+commit, 0)
	if err := os.WriteFile(filepath.Join(c.dir, ".git", "hooks", "pre-commit"), []byte(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	edit := "sed -i 's/30 days/31 days/' retention.yaml && "
	inCI(t, c, "commit without the migration", "", edit+commit, 1)
	inCI(t, c, "commit of something else", "", "git reset --quiet && date > notes && git add notes && "+
		strings.Replace(commit, "git add --all", "true", 1), 0)
	inCI(t, c, "commit with the migration", "", "pgretain generate && "+commit, 0)
	inCI(t, c, "commit of a wrong policy", "", "sed -i 's/31 days/31 dayz/' retention.yaml && "+commit, 1)
	inCI(t, c, "commit of an edited migration", "",
		"git checkout --quiet HEAD retention.yaml && echo '-- ' >> $(ls migrations/* | tail -n 1) && "+commit, 1)
}

func readYAML(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// inCI runs a script as a CI runner does. The commands connect to url.
func inCI(t *testing.T, c *cli, name, url, script string, code int) {
	t.Helper()
	path, output := t.TempDir(), filepath.Join(t.TempDir(), "output")
	wrapper := fmt.Sprintf(`#!/bin/sh
if [ "$1" = verify ]; then exec '%s' "$@" --database-url '%s'; fi
exec '%s' "$@"
`, c.binary, url, c.binary)
	if err := os.WriteFile(filepath.Join(path, "pgretain"), []byte(wrapper), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-e", "-c", script)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(),
		"PATH="+path+":"+os.Getenv("PATH"), "GITHUB_OUTPUT="+output, "GITHUB_WORKSPACE="+c.dir)
	r := c.finish(cmd)
	if r.code != code {
		t.Errorf("%s: exit code %d, want %d\n%s%s", name, r.code, code, r.stdout, r.stderr)
	}
	if !strings.HasSuffix(name, "actions database") {
		return
	}
	written, _ := os.ReadFile(output)
	if (string(written) == "report=verify.sarif\n") != (code < 2) {
		t.Errorf("%s: the step writes the output %q", name, written)
	}
	if found := strings.Contains(fixture.ReadFile(t, c.dir, "verify.sarif"), `"ruleId": "V002"`); found != (code == 1) {
		t.Errorf("%s: verify.sarif contains V002: %t, want %t", name, found, code == 1)
	}
}
