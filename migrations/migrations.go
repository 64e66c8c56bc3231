// Package migrations holds the runtime as it was installed by each version: goose migrations for
// the default install, frozen from sql/, one step a version. A file that was released never changes.
package migrations

import "embed"

//go:generate go test . -run TestFrozen$ -update

// FS has the files.
//
//go:embed *.sql
var FS embed.FS
