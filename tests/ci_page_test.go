package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

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
