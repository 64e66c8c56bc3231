package tests

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cli runs the command in a directory of the test against a database.
type cli struct {
	t           *testing.T
	binary, dir string
	url         string
}

// result is how a command line ended.
type result struct {
	code           int
	stdout, stderr string
}

func newCLI(t *testing.T, binary, url, dir string) *cli {
	return &cli{t: t, binary: binary, dir: dir, url: url}
}

func (c *cli) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.binary, args...)
	cmd.Dir = c.dir
	return cmd
}

// run adds the connection, if there is one, to the arguments.
func (c *cli) run(args ...string) result {
	c.t.Helper()
	if c.url != "" {
		args = append(args, "--database-url", c.url)
	}
	return c.finish(c.command(args...))
}

func (c *cli) finish(cmd *exec.Cmd) result {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		c.t.Fatalf("running %q: %v", cmd.Args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// must runs a command that succeeds.
func (c *cli) must(args ...string) result {
	c.t.Helper()
	r := c.run(args...)
	if r.code != 0 {
		c.t.Fatalf("pgretain %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// want runs a command that fails with a code and says a text on standard error.
func (c *cli) want(code int, text string, args ...string) {
	c.t.Helper()
	r := c.run(args...)
	if r.code != code || !strings.Contains(r.stderr, text) || strings.Contains(r.stderr, "s3cr3t") {
		c.t.Errorf("pgretain %s: exit code %d, want %d and %q in:\n%s", strings.Join(args, " "), r.code, code, text, r.stderr)
	}
}

// copyExample puts an example into a directory of the test.
func copyExample(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}
