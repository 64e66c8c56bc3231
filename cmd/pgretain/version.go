package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	sqlfiles "pgretain/sql"
)

const versionHelp = `Prints the versions of this program, of the runtime that it generates, and of Go.

Exit codes:
  0  printed`

func versionCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print versions", Long: versionHelp, Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			c.printf("pgretain %s, runtime %s, %s\n", programVersion(), sqlfiles.Version, runtime.Version())
			return nil
		},
	}
}

// programVersion is the module's version, "(devel)" for a build from a checkout.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
