package kit

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// program builds pgretain and returns its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pgretain-program-")
	if err != nil {
		return "", err
	}
	pgtest.AtEnd(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "pgretain")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-o", path,
		"pgretain/cmd/pgretain").CombinedOutput()
	if err != nil {
		err = errors.New(string(out))
	}
	return path, err
})

// Program returns the path of the pgretain command, which it builds once per test binary.
func Program(t testing.TB) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatalf("building the command: %v", err)
	}
	return path
}

// RunCommand runs a command to its end and returns its exit code, which may differ from 0.
func RunCommand(t testing.TB, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("running %q: %v", cmd.Args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errOut.String()
}

// ConnectionEnv returns the environment variables (PGHOST, PGPORT, ...) for a connection URL.
func ConnectionEnv(t testing.TB, url string) []string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"PGHOST=" + config.Host,
		"PGPORT=" + strconv.Itoa(int(config.Port)),
		"PGDATABASE=" + config.Database,
		"PGUSER=" + config.User,
		"PGPASSWORD=" + config.Password,
	}
}
