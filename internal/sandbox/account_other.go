//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

type account struct{}

func serverAccount() (account, error) {
	return account{}, &MissingError{
		What: "the sandbox needs unix sockets and signals",
		Hint: "Run on Linux, macOS or a BSD.",
	}
}

func (account) apply(*exec.Cmd)  {}
func (account) own(string) error { return nil }

var fastShutdown = os.Interrupt
