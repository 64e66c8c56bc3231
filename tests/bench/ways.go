package main

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// rowsPerDevice is how bench.load and the caps of policy.yaml divide the rows.
const rowsPerDevice = 2000

// way is one way to delete the rows that are due.
type way struct {
	name   string
	policy string // of pgretain; "" for SQL that people write
	sql    string // without a policy: takes the instant before which rows are due, or nothing
	share  float64
	beside *beside // meanwhile
}

// deletes is one job, done in several ways. The first of them is the limit for the others.
type deletes struct {
	name, table string
	check       string // the query that counts what is left, default "left"
	plain       bool   // not measured with a snapshot held open
	standby     bool   // a standby lags meanwhile
	ways        []way
}

// benchNames are what -only takes.
var benchNames = []string{"age", "archive", "roll_up", "guard", "letter", "foreground", "standby", "mark", "renew", "claim", "cap", "cap_kept", "nothing", "many", "each", "fleet"}

var byAge = deletes{name: "age", table: "message", ways: []way{
	{name: "delete", sql: query("delete"), share: 0.5},
	{name: "range", policy: "range", share: 0.5},
	// Less than the half at which the breaker of a run trips.
	{name: "range_breaker", policy: "range_breaker", share: 0.49},
	{name: "own_guard", policy: "own_guard", share: 0.5},
	{name: "ctid_any", sql: query("ctid_any"), share: 0.5},
	{name: "id_in", sql: query("id_in"), share: 0.5},
}}

var byRank = deletes{name: "cap", table: "queue", ways: []way{
	{name: "delete", sql: query("delete_rank"), share: 0.5},
	{name: "cap", policy: "cap", share: 0.5},
}}

var byArchive = deletes{name: "archive", table: "message", plain: true, ways: []way{
	{name: "statement", sql: query("archive"), share: 0.5},
	{name: "archive", policy: "archive", share: 0.5},
}}

var byRollUp = deletes{name: "roll_up", table: "message", plain: true, ways: []way{
	{name: "statement", sql: query("roll_up"), share: 0.5},
	{name: "roll_up", policy: "roll_up", share: 0.5},
}}

var byGuard = deletes{name: "guard", table: "message", plain: true, ways: []way{
	{name: "statement", sql: query("guard"), share: 0.5},
	{name: "guard", policy: "guard", share: 0.5},
	{name: "guard_written", policy: "guard", share: 0.5, beside: &beside{query("open_cases"), 100}},
}}

var byLetter = deletes{name: "letter", table: "letter", plain: true, ways: []way{
	{name: "statement", sql: query("letter"), share: 0.5},
	{name: "letter", policy: "letter", share: 0.5},
}}

var byKeptRank = deletes{name: "cap_kept", table: "queue", plain: true, ways: []way{
	{name: "delete", sql: query("delete_rank_kept"), share: 0.5},
	{name: "cap_kept", policy: "cap_kept", share: 0.5},
}}

// byForeground is what an application notices of a run: the limit is how it fares without one.
var byForeground = deletes{name: "foreground", table: "message", plain: true, ways: []way{
	{name: "alone", sql: query("sleep"), beside: &beside{query("foreground"), 400}},
	{name: "compute", sql: query("compute"), beside: &beside{query("foreground"), 400}},
	{name: "range", policy: "range", share: 0.5, beside: &beside{query("foreground"), 400}},
	{name: "gently", policy: "gently", share: 0.01, beside: &beside{query("foreground"), 400}},
}}

// byStandby is the same while a standby lags, for which the run waits.
var byStandby = deletes{name: "standby", table: "message", plain: true, standby: true, ways: []way{
	{name: "alone", sql: query("sleep"), beside: &beside{query("foreground"), 400}},
	{name: "gently", policy: "gently", share: 0.01, beside: &beside{query("foreground"), 400}},
}}

var byMark = deletes{name: "mark", table: "task", check: "marked", plain: true, ways: []way{
	{name: "statement", sql: query("mark"), share: 0.5},
	{name: "mark", policy: "mark", share: 0.5},
}}

var byRenewal = deletes{name: "renew", table: "task", check: "renewed", plain: true, ways: []way{
	{name: "statement", sql: query("renew"), share: 0.5},
	{name: "renew", policy: "renew", share: 0.5},
}}

// byClaim claims new keys one by one, in one session.
var byClaim = deletes{name: "claim", table: "message", check: "claimed", plain: true, ways: []way{
	{name: "insert", sql: query("claim_insert"), share: 0.5},
	{name: "claim", sql: query("claim"), share: 0.5},
}}

// window is that of the policies by age.
const window = 24 * time.Hour

// cutoff is the instant before which exactly so many rows lie, see bench.load.
func cutoff(rows int64) time.Time {
	return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rows+1) * time.Second)
}

// role is whose rights a way runs with.
func (w way) role() string {
	if w.policy == "" {
		return ""
	}
	return "retention_runner"
}

// run deletes what is due when so many rows are.
func (w way) run(ctx context.Context, conn *pgx.Conn, due int64) error {
	if w.policy != "" {
		var outcome string
		return conn.QueryRow(ctx, query("run"), w.policy, cutoff(due).Add(window)).Scan(&outcome)
	}
	var args []any
	if strings.Contains(w.sql, "$1") {
		args = append(args, cutoff(due))
	}
	_, err := conn.Exec(ctx, w.sql, args...)
	return err
}
