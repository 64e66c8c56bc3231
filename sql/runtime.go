// Package sqlfiles contains the runtime: SQL files that do not depend on policies, one object per
// file.
package sqlfiles

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
)

// Runtime contains the directories types, tables, engine, inspect, operate, migrate and views, and
// upgrades from version 2 on. After a release, the files in types and tables never change. The
// files in upgrades/<version> alter the installed types and tables. Each of them has a second file
// that reverts the change. The functions and procedures that a run calls are in engine. All others
// are in a directory named after their purpose.
//
//go:embed types/*.sql tables/*.sql engine/*/*.sql inspect/*.sql operate/*.sql migrate/*.sql views/*.sql
var Runtime embed.FS

// Version is the version of the runtime. The run log records it. Upgrades, the verifier, and the
// functions that check for a running upgrade use it.
const Version = "1"

// Build returns a fingerprint of all files in Runtime. It tells apart two programs whose runtimes
// differ and have the same version, as happens between releases.
var Build = sync.OnceValue(func() string {
	sum := sha256.New()
	err := fs.WalkDir(Runtime, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := Runtime.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
})

// SchemaMark is the comment of a schema that pgretain created. Any other schema existed before, and
// is not dropped.
const SchemaMark = "Made by pgretain, which drops it with its last migration."

// Compare returns a negative number if a version of the runtime is older than Version, zero if
// equal, a positive number if newer. Versions are numbers: 10 is newer than 9. It returns an error
// for anything but a number.
func Compare(version string) (int, error) {
	number, err := strconv.Atoi(version)
	if err != nil || number < 0 {
		return 0, fmt.Errorf("%q is not a version of the runtime", version)
	}
	own, err := strconv.Atoi(Version)
	return number - own, err
}
