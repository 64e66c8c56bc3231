package firstday

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// user runs commands in a directory and counts them.
type user struct {
	*testing.T
	dir, url string
	commands int
}

// newUser returns a user with an empty directory. Their commands connect to url.
func newUser(t *testing.T, url string) *user {
	t.Helper()
	return &user{T: t, dir: t.TempDir(), url: url}
}

// run runs pgretain with the arguments in line, checks the exit code, and returns the output.
func (p *user) run(code int, line string) string {
	p.Helper()
	p.commands++
	words := strings.Fields(line)
	cmd := exec.Command(kit.Program(p.T), words...)
	cmd.Dir, cmd.Env = p.dir, os.Environ()
	if p.url != "" {
		cmd.Env = append(cmd.Env, kit.ConnectionEnv(p.T, p.url)...)
	}
	got, stdout, stderr := kit.RunCommand(p.T, cmd)
	if got != code {
		p.Fatalf("pgretain %s: exit code %d, want %d\n%s%s", line, got, code, stdout, stderr)
	}
	output := stdout + stderr
	// A preview does not count the rows of a partition that a run drops. Before the first run, a
	// plan does not know how long a run takes.
	known := regexp.MustCompile(`, 0 unknown|  drop .*|.*, (?:measured|estimated) .*`).ReplaceAllString(output, "")
	if odd := regexp.MustCompile(`panic|goroutine|%!|<nil>|.*unknown.*`).FindString(known); odd != "" {
		p.Errorf("the output of pgretain %s contains %q:\n%s", line, odd, output)
	}
	return output
}

// says runs a command that must succeed, and checks that its output contains all words.
func (p *user) says(line string, words ...string) string {
	p.Helper()
	output := p.run(0, line)
	for _, word := range words {
		if !strings.Contains(output, word) {
			p.Errorf("the output of pgretain %s does not contain %q:\n%s", line, word, output)
		}
	}
	return output
}

func (p *user) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

func (p *user) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}
