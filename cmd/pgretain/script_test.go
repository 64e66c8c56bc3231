package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pgretain/tests/fixture"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pgretain": main})
}

// TestScripts runs the command as a person does; "go test ./cmd/pgretain -update" rewrites the
// expected texts of cmp.
func TestScripts(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	dirs := strings.Fields(string(out))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("go env says %q: %v", out, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *fixture.Update,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			// Nothing answers here: a script that reaches for a server fails.
			env.Setenv("PGHOST", env.WorkDir)
			env.Setenv("PGDATABASE", "shop")
			env.Setenv("PGUSER", "shop_owner")
			env.Setenv("ROOT", root)
			env.Setenv("GOCACHE", dirs[0])
			env.Setenv("GOMODCACHE", dirs[1])
			return nil
		},
	})
}

// exits runs a program that must end with exactly this code: exits 2 pgretain lint.
func exits(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
