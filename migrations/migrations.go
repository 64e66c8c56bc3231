// Package migrations contains the runtime as goose migrations for the default install. They are
// generated from sql/.
package migrations

import "embed"

//go:generate go test . -run TestMigrationsMatchSQL$ -update

// FS contains the migration files.
//
//go:embed *.sql
var FS embed.FS
