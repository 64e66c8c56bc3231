//go:generate go test . -run TestGolden(Steps)?$ -update

// Package generator turns a policy file and a catalog snapshot into SQL, and SQL into the next
// migration. It is pure: no database, clock, environment, network or randomness, so the same
// input gives the same bytes.
//
//	Compile   policy.File + catalog.Snapshot + History -> []Object   what the database should hold
//	Read      a migration directory                    -> History    what earlier migrations installed
//	Next      History + []Object                       -> []File     one step that makes up the difference
package generator
