// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, reach of foreign keys, overdue rows and privileges.
//
// It only reads, in short READ ONLY transactions, one per group of checks or policy, so that it
// never holds up a concurrent index build. What its role cannot see is unknown, never missing and
// never in order. Every kind of finding has a stable code and a page in docs/checks.
package verifier
