package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
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

// findBinDir is the directory that the environment names; else the first with a server of
// pg_config's, Debian's, newest first, and that of PATH. One that was named and does not serve is refused.
func findBinDir() (string, error) {
	if named := os.Getenv(BinDirVariable); named != "" {
		if hasServer(named) {
			return filepath.Abs(named)
		}
		return "", &MissingError{
			What: fmt.Sprintf("no initdb and postgres in %s", named),
			Hint: "Check " + BinDirVariable + "; it names the directory of initdb, for example /usr/lib/postgresql/15/bin.",
		}
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // not a number sorts last
		return n
	}
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if dir, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = slices.Insert(dirs, 0, strings.TrimSpace(string(dir)))
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	if i := slices.IndexFunc(dirs, hasServer); i >= 0 {
		return dirs[i], nil
	}
	return "", &MissingError{
		What: "no PostgreSQL server programs (initdb, postgres) on this machine",
		Hint: "On Debian and Ubuntu run .ci/setup, or install postgresql and postgresql-<version>-cron; elsewhere set " +
			BinDirVariable + " to the directory of initdb.",
	}
}

func hasServer(dir string) bool {
	_, initdb := exec.LookPath(filepath.Join(dir, "initdb"))
	_, postgres := exec.LookPath(filepath.Join(dir, "postgres"))
	return initdb == nil && postgres == nil
}

// socketLimit is the longest path of a unix socket: sun_path has 108 bytes on Linux, 104 on the
// BSDs, one of them the closing zero.
const socketLimit = 103

// makeDir makes the private directory of one server. Trust authentication is safe because
// nobody but the account and root can enter it.
func makeDir(account account) (string, error) {
	dir, err := makeDirIn(os.TempDir(), account)
	if err != nil {
		var second error
		if dir, second = makeDirIn("/tmp", account); second != nil {
			return "", fmt.Errorf("making a temporary directory: %w", err)
		}
	}
	return dir, nil
}

func makeDirIn(place string, account account) (string, error) {
	place, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(place, "pgretain-")
	if err != nil {
		return "", err
	}
	if socket := filepath.Join(dir, ".s.PGSQL."+port); len(socket) > socketLimit {
		err = fmt.Errorf("the socket's path %s is longer than %d bytes", socket, socketLimit)
	} else if err = account.own(dir); err == nil {
		enter := exec.Command("/bin/sh", "-c", ":")
		enter.Dir = dir
		account.apply(enter)
		if err = enter.Run(); err != nil {
			err = fmt.Errorf("the server's user cannot enter %s: %w", dir, err)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// account is who the server runs as: nil credential means ourselves.
type account struct {
	credential *syscall.Credential
}

// serverAccount picks postgres or nobody when we are root, because initdb and postgres refuse
// to run as root.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
			gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
			return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, errors.Join(uidErr, gidErr)
		}
	}
	return account{}, &MissingError{
		What: "PostgreSQL does not run as root, and there is no user postgres or nobody",
		Hint: "Run as an ordinary user, or create a user postgres.",
	}
}

// apply makes cmd run as the account, out of reach of the terminal's signals.
func (a account) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: a.credential}
}

// own gives a file to the account.
func (a account) own(path string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(path, int(a.credential.Uid), int(a.credential.Gid))
}
