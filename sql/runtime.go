// Package sqlfiles holds the runtime: the hand-written, policy-independent SQL, one object a file.
package sqlfiles

import "embed"

// Runtime has the directories types, tables, functions, procedures and views.
//
//go:embed types/*.sql tables/*.sql functions/*.sql procedures/*.sql views/*.sql
var Runtime embed.FS

// Version is the runtime's version. A run log, an upgrade and the verifier name it.
const Version = "1"
