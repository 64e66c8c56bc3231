// Package sqlfiles holds the runtime: the hand-written, policy-independent SQL, one object a file.
package sqlfiles

import (
	"embed"
	"fmt"
	"strconv"
)

// Runtime has the directories types, tables, engine, inspect, operate, migrate and views, and upgrades from version 2 on: what is in types
// and tables never changes after its release, upgrades/<version> changes it, with the way back in a second file.
// Functions and procedures stand in chapters: those that a run calls in engine, the others by who calls them.
//
//go:embed types/*.sql tables/*.sql engine/*/*.sql inspect/*.sql operate/*.sql migrate/*.sql views/*.sql
var Runtime embed.FS

// Version is the runtime's version. A run log, an upgrade and the verifier name it; the functions that ask
// whether an upgrade is under way know it, too.
const Version = "1"

// Compare says whether a version of the runtime is older than Version (below zero), the same (zero)
// or newer. Versions are numbers: 10 is newer than 9. The error is for what is no number.
func Compare(version string) (int, error) {
	number, err := strconv.Atoi(version)
	if err != nil || number < 0 {
		return 0, fmt.Errorf("%q is no version of the runtime", version)
	}
	own, err := strconv.Atoi(Version)
	return number - own, err
}
