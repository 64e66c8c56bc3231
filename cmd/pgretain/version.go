package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	sqlfiles "pgretain/sql"
)

func (c *console) versionCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "version",
		Short: "Print versions",
		Long: `Prints the versions of this program, of the runtime that it generates, and of Go.

Exit codes:
  0  printed`,
		RunE: c.inDatabases(&f, (*console).version),
	}
	f.addFormat(command, "`text` or json", "text", "json")
	return command
}

func (c *console) version(context.Context, []string) error {
	members := []any{"pgretain", programVersion(), "runtime", sqlfiles.Version, "build", sqlfiles.Build(),
		"go", runtime.Version()}
	return c.result("version", members, members...)
}

// programVersion returns the module's version, or "(devel)" for a build from a checkout.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
