// Package templates contains the templates of generated SQL: one file per kind of object, and
// shared fragments. README.md explains them to a DBA.
package templates

import "embed"

// FS contains the templates.
//
//go:embed *.sql.tmpl
var FS embed.FS

// Statements lists the statements that the objects of a migration may execute.
//
//go:embed statements.txt
var Statements string
