// Package templates holds what generated SQL is made of: one file per kind of object, and
// fragments for what several of them say alike. README.md explains them to a DBA.
package templates

import "embed"

// FS has the templates.
//
//go:embed *.sql.tmpl
var FS embed.FS

// Statements lists what the objects of a migration may execute.
//
//go:embed statements.txt
var Statements string
