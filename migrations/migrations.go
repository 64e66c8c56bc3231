// Package migrations holds the runtime as a migration directory: goose migrations for the default install, made
// from sql/.
package migrations

import "embed"

//go:generate go test . -run TestWritten$ -update

// FS has the files.
//
//go:embed *.sql
var FS embed.FS
