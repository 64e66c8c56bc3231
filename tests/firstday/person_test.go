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

// person runs commands in a directory, and counts them.
type person struct {
	*testing.T
	dir, url string
	commands int
}

// newPerson has an empty directory and the program.
func newPerson(t *testing.T, url string) *person {
	t.Helper()
	return &person{T: t, dir: t.TempDir(), url: url}
}

// run runs a command line, which must end with a code, and returns what it writes.
func (p *person) run(code int, line string) string {
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
	said := stdout + stderr
	// nobody counts a partition before it is dropped
	known := regexp.MustCompile(`, 0 unknown|  drop .*`).ReplaceAllString(said, "")
	if odd := regexp.MustCompile(`panic|goroutine|%!|<nil>|.*unknown.*`).FindString(known); odd != "" {
		p.Errorf("pgretain %s says %q in\n%s", line, odd, said)
	}
	return said
}

// says is run for a command that must do what it says, in these words among others.
func (p *person) says(line string, words ...string) string {
	p.Helper()
	said := p.run(0, line)
	for _, word := range words {
		if !strings.Contains(said, word) {
			p.Errorf("pgretain %s does not say %q:\n%s", line, word, said)
		}
	}
	return said
}

func (p *person) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

func (p *person) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}
