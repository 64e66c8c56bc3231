package propose

import (
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// This file contains the rules by which the package guesses, as data. Names are compared in snake
// case and in lower case.

// clockRule describes a kind of column by which rows become due. The first rule that matches a
// column of the table is used.
type clockRule struct {
	suffix  string         // suffix of the policy's name
	columns *regexp.Regexp // matches names, with or without an ending for times such as "_at"
	Due     string         // key of "due"
	Guess   string         // what the column says if the guess is right
}

var (
	expiredRule = clockRule{"expired", words(`(.*_)?(expires?|expiry|expiration) valid_until not_after
		(keep|retain)_until (delete|purge|remove)_after`), "expires", "nobody needs the row after this time"}
	deletedRule = clockRule{"deleted", words(`(soft_)?(deleted|removed|trashed|discarded)`), "age",
		"users deleted the row at this time"}
	finishedRule = clockRule{"finished", words(finishedWords), "age", "the row was finished at this time"}
	unusedRule   = clockRule{"unused", words(`last_(seen|used|accessed|access|active|activity|read|login|heartbeat|ping)
		atime`), "age", "nobody used the row after this time"}
	oldRule = clockRule{"old", words(`created creation date_created inserted insertion occurred recorded logged received
		happened added collected captured measured observed ingested emitted fetched raised reported triggered queued
		enqueued visited viewed clicked started first_seen event log time timestamp ts at date day when ctime`), "age",
		"the age of the row counts from this time"}
	changedRule = clockRule{"old", words(`(last_|date_)?(updated?|modified|changed?) mtime`), "age",
		"the row was changed last at this time"}
)

// finishedWords match names of columns, and values of a state, that say that work is finished.
const finishedWords = `finish(ed)? finali[sz]ed complete(d)? done processed closed resolved delivered dispatched
	consumed handled acknowledged acked sent cancell?ed revoked archived ended expired used settled succeeded
	success(ful)?`

var (
	clockRules = []clockRule{expiredRule, deletedRule, finishedRule, unusedRule, oldRule, changedRule}
	// workRules are the rules for tables of work. There a time like lease_expires_at says nothing
	// about the end of the work, and the last change is nearer to the end than the start.
	workRules = []clockRule{finishedRule, deletedRule, expiredRule, unusedRule, changedRule, oldRule}
)

// kind is a kind of tables. The name of a table tells its kind.
type kind struct {
	Is     string // what the table is, as "a queue"
	tables *regexp.Regexp
	Window string // window by age, or by a time of use or end
}

var (
	auditKind = kind{"an audit log", words(`audits? auditing auditlogs? history histories compliance revisions?
		versions?`), "7 years"}
	queueKind = kind{"a queue", words(`queues? outbox inbox jobs? tasks? deliver(y|ies) webhooks? works? workers?
		executions? retries imports? exports? batch(es)? runs? processes`), "30 days"}
	logKind  = kind{"a log", words(`logs? logging logins? traces? errors? exceptions? crashes`), "6 months"}
	measured = kind{"measurements", words(`metrics? readings? heartbeats? measurements? samples? telemetry pings? fix(es)?
		positions? locations? stats statistics`), "1 year"}
	otherKind = kind{"a table of no known kind", nil, "1 year"}
	kinds     = []kind{
		queueKind, logKind, measured,
		{"sessions and tokens", words(`sessions? tokens? otps? codes? nonces? resets? invitations? invites? verifications?
			cookies? captchas? challenges? locks? leases?`), "30 days"},
		{"a cache", words(`caches? cached temp tmp staging`), "30 days"},
		{"notifications", words(`notifications? alerts? messages? e?mails? sms push(es)? reminders?`), "6 months"},
		{"events", words(`events? activit(y|ies) clicks? views? impressions? visits? signals?`), "1 year"},
	}
)

// anywhere lists words that tell the kind wherever they stand in a name. The rows of outbox_events
// are work.
var anywhere = words("queue outbox inbox")

// kindOf returns the kind of a table. A word for an audit log decides wherever it stands, also in
// the schema. Otherwise the last word of the name that tells a kind decides.
func kindOf(t *catalog.Table) kind {
	name := strings.Split(plain(t.Name), "_")
	if slices.ContainsFunc(append(strings.Split(plain(t.Schema), "_"), name...), auditKind.tables.MatchString) {
		return auditKind
	}
	if slices.ContainsFunc(name, anywhere.MatchString) {
		return queueKind
	}
	for _, word := range slices.Backward(name) {
		if i := slices.IndexFunc(kinds, func(k kind) bool { return k.tables.MatchString(word) }); i >= 0 {
			return kinds[i]
		}
	}
	return otherKind
}

// appends reports whether rows of the kind are written once and never change. Then a column like
// status says nothing about unfinished work.
func (k kind) appends() bool {
	return slices.Contains([]string{auditKind.Is, logKind.Is, measured.Is}, k.Is)
}

// state is a column that says whether the work of a row is finished.
type state struct {
	*catalog.Column
	Finished []string // values of finished rows; nil for a boolean, or if the values are not known
	Flag     bool     // the column is a boolean that is true for finished rows
}

var (
	stateColumn = words(`((job|task|run|work|processing|delivery|execution)_)?(state|status)`)
	finishedAs  = words(finishedWords + ` failed failure discarded dead aborted`)
	flagPrefix  = regexp.MustCompile(`^(is|was|has_been)_`)
)

// stateOf returns the column that says whether the work of a row is finished. Column is nil if the
// table has none.
func stateOf(t *catalog.Table) (found state) {
	for i := range t.Columns {
		c := &t.Columns[i]
		name := snake(c.Name)
		switch {
		case c.Virtual:
		case stateColumn.MatchString(name) && !isTime(c.Plain()):
			var finished []string
			for _, value := range slices.Concat(c.Labels, c.Values) {
				if finishedAs.MatchString(plain(value)) && diag.HiddenIn(value) < 0 {
					finished = append(finished, value)
				}
			}
			if found.Column == nil || found.Finished == nil && finished != nil {
				found = state{Column: c, Finished: finished}
			}
		case found.Column == nil && c.Plain() == "boolean" &&
			words(finishedWords).MatchString(flagPrefix.ReplaceAllString(name, "")):
			found = state{Column: c, Flag: true}
		}
	}
	return found
}

func words(patterns string) *regexp.Regexp {
	return regexp.MustCompile("^(" + strings.Join(strings.Fields(patterns), "|") + ")$")
}

var (
	leaseTime  = regexp.MustCompile(`^(.*_)?(lease|lock|claim|visibility)_`) // when work may begin again
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
	{noEnd, func(_ *file, d *draft) bool { return d.Work && !d.ends() }},
	{"undecided: row security is on around it, so that the worker needs BYPASSRLS", (*file).isHidden},
	{"undecided: other tables refer to it, and nothing tells here whether it grows", func(f *file, d *draft) bool {
		others := slices.ContainsFunc(d.refuses, func(by path) bool { return !f.isPart(by) })
		return others && !f.sized && d.Clock().suffix == "old"
	}},
}

const (
	noClock = "undecided: no column tells how old a row is"
	noEnd   = "undecided: no column is known to tell which rows are finished"
)

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

// ends reports whether a proposal for a table of work leaves rows that are not finished: the clock
// is NULL for them, or the condition on the state is false.
func (d *draft) ends() bool {
	switch d.Clock().suffix {
	case finishedRule.suffix, deletedRule.suffix:
		return true
	case expiredRule.suffix: // a job of a queue may expire before anybody begins it
		return d.Condition() != "" || d.Kind.Is != queueKind.Is
	}
	return d.Condition() != ""
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
func clocksOf(t *catalog.Table, rules []clockRule, s *catalog.Statistics) (list []clock, unfit []string) {
	for _, rule := range rules {
		for i := range t.Columns {
			c := &t.Columns[i]
			name, values := snake(c.Name), s.Ranges[t.Schema+"."+t.Name+"."+c.Name]
			encoding, ok := encodingOf(c, name, values)
			if encoding != "" || !ok {
				name = unitEnding.ReplaceAllString(name, "")
			}
			short := timeEnding.ReplaceAllString(name, "")
			switch {
			case leaseTime.MatchString(name):
			case c.Virtual || !rule.columns.MatchString(name) && !rule.columns.MatchString(short):
			case ok:
				list = append(list, clock{rule, c, encoding, values})
			case values.Reading != "":
				text := c.Name + " holds " + values.Reading + ", which no encoding of its type reads"
				unfit = lists.AppendUnique(unfit, text)
			case values.Last != "" && isNumber(c.Plain()):
				unfit = lists.AppendUnique(unfit, c.Name+" holds numbers that count time in no known unit")
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
