package propose

import (
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
)

// This file contains the rules by which the package guesses, as data. Names are compared in snake
// case and in lower case.

// clockRule describes a kind of column by which rows become due. The first rule that matches a
// column of the table is used.
type clockRule struct {
	suffix  string         // suffix of the policy's name
	columns *regexp.Regexp // matches names, with or without an ending for times such as "_at"
	Due     string         // key of "due"
	Window  string
}

var clockRules = []clockRule{
	{"expired", words(`(.*_)?(expires?|expiry|expiration) valid_until not_after (keep|retain)_until
		(delete|purge|remove)_after`), "expires", "grace: 7 days"},
	{"deleted", words(`(soft_)?(deleted|removed|trashed|discarded)`), "age", window},
	{"finished", words(`finished completed processed closed resolved delivered dispatched consumed handled acknowledged
		acked sent cancell?ed revoked archived ended expired used`), "age", window},
	{"unused", words(`last_(seen|used|accessed|access|active|activity|read|login|heartbeat|ping) atime`), "age",
		window},
	{"old", words(`created creation date_created inserted insertion occurred recorded logged received happened added
		collected captured measured observed ingested emitted fetched raised reported triggered queued enqueued visited
		viewed clicked started first_seen event log time timestamp ts at date day when ctime`), "age", window},
	{"old", words(`(last_|date_)?(updated?|modified|changed?) mtime`), "age", window},
}

func words(patterns string) *regexp.Regexp {
	return regexp.MustCompile("^(" + strings.Join(strings.Fields(patterns), "|") + ")$")
}

// window is the window of all proposals by age. It is the same for all tables. With different
// windows, a row could be deleted with its parent row before its own window ends.
const window = "older_than: 90 days"

var (
	timeEnding = regexp.MustCompile(`_(at|on|time|date|datetime|ts|timestamp|utc)$`)
	unitEnding = regexp.MustCompile(`_?(ms|millis|milliseconds|s|sec|seconds|epoch|unix)$`)
	hump       = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// exemption is a reason to propose no policy for a table. The first reason that applies is used. If
// a reason begins with "undecided", a person must replace it. The method withdraw removes further
// proposals, which lint would refuse.
type exemption struct {
	reason  string
	applies func(*file, *draft) bool
}

var exemptions = []exemption{
	{"undecided: a name has a character that is not shown", func(_ *file, d *draft) bool { return d.hasHiddenName() }},
	{"versions of a migration tool", func(_ *file, d *draft) bool { return toolTable.MatchString(snake(d.Name)) }},
	{"small", func(f *file, d *draft) bool { return f.sized && !d.grows() }},
	{"undecided: it inherits from another table", func(_ *file, d *draft) bool { return len(d.Inherits) > 0 }},
	{"undecided: by its name, people or laws may want these rows kept",
		func(_ *file, d *draft) bool { return d.kept() }},
	{"undecided: many tables refer to it", func(_ *file, d *draft) bool { return len(d.referring) >= manyReferring }},
	{"undecided: many tables refer to it by way of others", func(_ *file, d *draft) bool {
		return len(d.refuses)+len(d.children) > manyPaths
	}},
	{noClock, func(_ *file, d *draft) bool { return len(d.Clocks) == 0 }},
	{"undecided: row security is on around it, so that the worker needs BYPASSRLS", (*file).isHidden},
	{"undecided: other tables refer to it, and nothing tells here whether it grows", func(f *file, d *draft) bool {
		others := slices.ContainsFunc(d.refuses, func(by path) bool { return !f.isPart(by) })
		return others && !f.sized && d.Clock().suffix == "old"
	}},
}

const noClock = "undecided: no column tells how old a row is"

var (
	toolTable = words(`_?schema_(migrations?|versions?|history) .*_schema_history ar_internal_metadata .*_db_version
		databasechangelog(lock)? alembic_version atlas_schema_revisions (.*_)?migrations?(_lock|_versions)?
		__ef_?migrations_?history sequelize_?meta pgmigrations`)
	keptTable = words(`(.*_)?(users?|accounts?|customers?|clients?|members?|people|persons?|employees?|patients?|students?)
		(.*_)?(tenants?|organi[sz]ations?|company|companies|orders?|invoices?|payments?|refunds?|transactions?|transfers?)
		(.*_)?(contracts?|consents?|subscriptions?|licen[cs]es?|certificates?) (.*_)?(ledgers?|journals?|bookings?)(_.*)?`)
)

const (
	manyReferring = 5       // number of referring tables
	manyPaths     = 10      // number of paths of foreign keys to a table
	manyRows      = 1000    // rows in the table, or inserted rows, of a table that grows
	manyBytes     = 8 << 20 // size in bytes of a table that grows
)

// grows reports whether a table is more than reference data.
func (d *draft) grows() bool {
	g := d.Growth
	return g.Inserted >= manyRows || g.Rows != nil && *g.Rows >= manyRows || g.Bytes >= manyBytes
}

// hasHiddenName reports whether the name of the table or of a column contains hidden characters. A
// policy file cannot contain such a name.
func (d *draft) hasHiddenName() bool {
	return diag.HiddenIn(d.String()) >= 0 ||
		slices.ContainsFunc(d.Columns, func(c catalog.Column) bool { return diag.HiddenIn(c.Name) >= 0 })
}

func (d *draft) kept() bool { return keptTable.MatchString(snake(d.Name)) }

// isHidden reports whether row security hides rows from the worker, and the role of "init" cannot
// change that.
func (f *file) isHidden(d *draft) bool { return !f.GivesBypass && f.meetsRowSecurity(d) }

// meetsRowSecurity reports whether row security may hide rows from the worker, in the table or in a
// table that refers to it.
func (f *file) meetsRowSecurity(d *draft) bool {
	hidden := func(by path) bool { return f.end(by).RowSecurity }
	return d.RowSecurity || slices.ContainsFunc(slices.Concat(d.refuses, d.children), hidden)
}

// snake returns a name in snake case and lower case, for example "created_at" for "createdAt".
func snake(name string) string { return strings.ToLower(hump.ReplaceAllString(name, "${1}_${2}")) }

// clock is a column, with the encoding of its values.
type clock struct {
	clockRule
	*catalog.Column
	Encoding string // "" if the type is a date or timestamp
	Range    catalog.Range
}

// clocksOf lists the columns of a table that may be clocks, the best first. The result "unfit" says
// why columns with the names of clocks are no clocks.
func clocksOf(t *catalog.Table, s *catalog.Statistics) (list []clock, unfit []string) {
	for _, rule := range clockRules {
		for i := range t.Columns {
			c := &t.Columns[i]
			name, values := snake(c.Name), s.Ranges[t.Schema+"."+t.Name+"."+c.Name]
			encoding, ok := encodingOf(c, name, values)
			if encoding != "" || !ok {
				name = unitEnding.ReplaceAllString(name, "")
			}
			short := timeEnding.ReplaceAllString(name, "")
			switch {
			case c.Virtual || !rule.columns.MatchString(name) && !rule.columns.MatchString(short):
			case ok:
				list = append(list, clock{rule, c, encoding, values})
			case values.Reading != "":
				unfit = with(unfit, c.Name+" holds "+values.Reading+", which no encoding of its type reads")
			case values.Last != "" && isNumber(c.Plain()):
				unfit = with(unfit, c.Name+" holds numbers that count time in no known unit")
			}
		}
	}
	return list, unfit
}

func isTime(typ string) bool {
	times := []string{"date", "timestamp with time zone", "timestamp without time zone"}
	return slices.Contains(times, catalog.Unsized(typ))
}

func isNumber(typ string) bool {
	return slices.Contains([]string{"integer", "bigint", "numeric", "double precision"}, catalog.Unsized(typ))
}

// encodingOf returns how a column encodes timestamps, or "" for types for times. It uses the
// column's values. If no values are known, it uses the type and the name. It returns false if the
// column encodes no timestamp, or if that is not certain.
func encodingOf(c *catalog.Column, name string, values catalog.Range) (string, bool) {
	isEncoding := values.Reading == "epoch_s" || values.Reading == "epoch_ms" ||
		strings.HasPrefix(values.Reading, "{snowflake") && c.Plain() == "bigint"
	switch {
	case isTime(c.Plain()):
		return "", true
	case !isNumber(c.Plain()):
		return "", false
	case values.Last != "":
		return values.Reading, isEncoding
	case c.Plain() == "integer":
		// a number like 20260131 would be a time long ago
		return "epoch_s", timeEnding.MatchString(name)
	case strings.Contains(unitEnding.FindString(name), "m"):
		return "epoch_ms", true
	}
	return "", false
}
