// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, reach of foreign keys, overdue rows and privileges.
//
// It only reads, in short READ ONLY transactions, one per group of checks, so that it never holds up a
// concurrent index build. What its role cannot see is unknown, never missing and never in order. Every
// kind of finding has a stable code and a page in docs/checks.
//
// A file check_<words>.go is one check: it begins with the call of register, and has all that the check
// says, but does not read. The other files read, compare and call the checks: verifier.go has the order
// in which groups read, a file per thing that is read (indexes.go, log.go, ...) the groups themselves.
package verifier
