package policy

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of a policy file, for editors. It knows which keys
// there are and what kind of value each has; what SQL and names mean, only Parse knows.
//
//go:embed schema.json
var Schema string
