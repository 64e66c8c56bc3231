package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
)

// TestExamples generates the migrations of every example twice. Both times they must be the same,
// and lint and generate --check must accept them.
func TestExamples(t *testing.T) {
	t.Parallel()
	policies, err := filepath.Glob("../../examples/*/retention.yaml")
	if err != nil || len(policies) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, policy := range policies {
		t.Run(filepath.Base(filepath.Dir(policy)), func(t *testing.T) {
			t.Parallel()
			first, second := filepath.Join(t.TempDir(), "migrations"), filepath.Join(t.TempDir(), "migrations")
			pgretain(t, "generate", "--policy", policy, "--migrations", first)
			pgretain(t, "generate", "--policy", policy, "--migrations", second)
			if diff := cmp.Diff(contents(t, first), contents(t, second)); diff != "" {
				t.Errorf("the second call generates something else (-first +second):\n%s", diff)
			}
			pgretain(t, "lint", "--policy", policy, "--migrations", first)
			pgretain(t, "generate", "--check", "--policy", policy, "--migrations", first)
		})
	}
}

var (
	shownCommand = regexp.MustCompile(`(?m)` +
		`^ *(?:\$ |\{ |source <\()?pgretain((?: +(?:"[^"]*"|'[^']*'|[^\s|;>#)"']+)+)*)`)
	shownWord = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
)

// TestShownCommands checks that every pgretain command line in the documentation has an existing
// command with valid flags and arguments.
func TestShownCommands(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, page := range fixture.Documents(t, "../..") {
		if filepath.Base(page) == "CHANGELOG.md" { // it may name commands of older versions
			continue
		}
		for _, code := range fixture.Code(fixture.ReadFile(t, page)) {
			for _, line := range shownCommand.FindAllStringSubmatch(code, -1) {
				lines++
				if err := checkLine(line[1]); err != nil {
					t.Errorf("%s: pgretain%s: %v", page, line[1], err)
				}
			}
		}
	}
	if lines < 200 {
		t.Errorf("found only %d command lines, want at least 200", lines)
	}
	for _, wrong := range []string{"rnu x", "migrate sideways", "run x --frist", "run x y", "migrate up x",
		"hold t --reason why", "verify --counts=perhaps"} {
		if checkLine(wrong) == nil {
			t.Errorf("checkLine accepts the invalid command line pgretain %s", wrong)
		}
	}
}

// checkLine parses a command line without executing it, and returns the error of the parser. A line
// that only names a command is valid.
func checkLine(line string) error {
	usage := strings.NewReplacer("COMMAND [flags]", "", "[", "", "]", "", " ...", "", "--rows N", "--rows 1")
	line = usage.Replace(line)
	words := shownWord.FindAllString(line, -1)
	for i, word := range words {
		words[i] = strings.NewReplacer(`"`, "", "'", "").Replace(word)
	}
	command, args, err := (&console{}).root().Find(words)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(args); err != nil {
		return err
	}
	if args = command.Flags().Args(); command.HasSubCommands() && len(args) > 0 {
		return onlyVerbs(command, args)
	}
	if len(words) == 1 {
		return nil
	}
	if err := command.ValidateRequiredFlags(); err != nil {
		return err
	}
	return command.ValidateArgs(args)
}

// pgretain runs a command. The test fails unless the command succeeds without output on standard
// error.
func pgretain(t *testing.T, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("pgretain %q: exit code %d\n%s%s", args, code, stdout.String(), stderr.String())
	}
}
