package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

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

// fastShutdown ends a postmaster and its sessions, see "Shutting Down the Server" in the manual.
const fastShutdown = syscall.SIGINT
