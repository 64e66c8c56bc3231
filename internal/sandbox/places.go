package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// BinDirVariable names the environment variable that overrides the search for PostgreSQL.
const BinDirVariable = "PGRETAIN_PG_BINDIR"

// MissingError says that something the sandbox needs is not installed. Hint says how to get it.
type MissingError struct {
	What string
	Hint string
}

func (e *MissingError) Error() string { return e.What }

// findBinDir looks in turn at the option, the environment, pg_config, Debian's directories
// (newest first) and PATH.
func findBinDir(option string) (string, error) {
	for _, named := range []string{option, os.Getenv(BinDirVariable)} {
		if named != "" {
			return checkBinDir(named)
		}
	}
	for _, dir := range candidates() {
		if hasServer(dir) {
			return dir, nil
		}
	}
	return "", &MissingError{
		What: "no PostgreSQL server programs (initdb, postgres) on this machine",
		Hint: "On Debian and Ubuntu run .ci/setup, or install postgresql and postgresql-<version>-cron; elsewhere set " +
			BinDirVariable + " to the directory of initdb.",
	}
}

// checkBinDir refuses a directory that was named and does not serve, rather than search on.
func checkBinDir(dir string) (string, error) {
	if hasServer(dir) {
		return filepath.Abs(dir)
	}
	return "", &MissingError{
		What: fmt.Sprintf("no initdb and postgres in %s", dir),
		Hint: "Check " + BinDirVariable + "; it names the directory of initdb, for example /usr/lib/postgresql/15/bin.",
	}
}

func candidates() []string {
	var dirs []string
	if dir, err := pgConfig("", "--bindir"); err == nil {
		dirs = append(dirs, dir)
	}
	dirs = append(dirs, debianDirs()...)
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	return dirs
}

// debianDirs are the versioned directories of Debian's packages, newest first.
func debianDirs() []string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // not a number sorts last
		return n
	}
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	return dirs
}

func hasServer(dir string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(dir, program))
		if err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

// libraryDirs guesses beside the binaries first: Debian's pg_config only knows the newest server.
func libraryDirs(binDir string) []string {
	dirs := []string{filepath.Join(binDir, "../lib"), filepath.Join(binDir, "../lib/postgresql")}
	if dir, err := pgConfig(binDir, "--pkglibdir"); err == nil {
		dirs = append(dirs, dir)
	}
	return dirs
}

// pgConfig asks the pg_config of dir, or that of PATH where dir is "".
func pgConfig(dir, flag string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "pg_config"), flag).Output()
	return strings.TrimSpace(string(out)), err
}

// socketLimit is the longest path of a unix socket: sun_path has 108 bytes on Linux, 104 on the
// BSDs, one of them the closing zero.
const socketLimit = 103

// makeDir makes the private directory of one server. Trust authentication is safe because
// nobody but the account and root can enter it.
func makeDir(under string, account account) (string, error) {
	places := []string{under}
	if under == "" {
		places = []string{os.TempDir(), "/tmp"}
	}
	var problems []error
	for _, place := range places {
		dir, err := makeDirIn(place, account)
		if err == nil {
			return dir, nil
		}
		problems = append(problems, err)
	}
	return "", fmt.Errorf("making a temporary directory: %w", errors.Join(problems...))
}

func makeDirIn(place string, account account) (string, error) {
	place, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	for dir := place; ; dir = filepath.Dir(dir) {
		if !account.enters(dir) {
			return "", fmt.Errorf("the server's user cannot enter %s", dir)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	dir, err := os.MkdirTemp(place, "pgretain-")
	if err != nil {
		return "", err
	}
	if socket := filepath.Join(dir, ".s.PGSQL."+port); len(socket) > socketLimit {
		err = fmt.Errorf("the socket's path %s is longer than %d bytes", socket, socketLimit)
	} else {
		err = account.own(dir)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}
