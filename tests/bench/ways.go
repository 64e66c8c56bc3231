package main

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// rowsPerDevice is the number of rows of a device in bench.load. The caps of policy.yaml depend on
// it.
const rowsPerDevice = 2000

// way is one way to delete the due rows.
type way struct {
	name   string
	policy string  // policy of pgretain; "" for SQL that people write
	sql    string  // statement if policy is ""; its optional parameter is the cutoff
	before string  // statement of the superuser before the measurement
	share  float64 // share of the rows that is due
	beside *beside // transactions of another session during the measurement
}

// deletes is one job, done in several ways. The other ways are compared with the first one, the
// limit.
type deletes struct {
	name, table string
	check       string // file of the query that counts the remaining rows, default "left"
	plain       bool   // not measured with a snapshot held open
	standby     bool   // a standby lags meanwhile
	ways        []way
}

// statement returns a way that executes the SQL of a file. Half of the rows are due.
func statement(name, file string) way { return way{name: name, sql: query(file), share: 0.5} }

// byPolicy returns a way that runs a policy. Half of the rows are due.
func byPolicy(name string) way { return way{name: name, policy: name, share: 0.5} }

// pair returns a job with two ways of the same name: a statement and a policy.
func pair(name, table, check string, more ...way) deletes {
	ways := append([]way{statement("statement", name), byPolicy(name)}, more...)
	return deletes{name: name, table: table, check: check, plain: true, ways: ways}
}

var (
	application = &beside{query("foreground"), 400}
	cases       = &beside{query("open_cases"), 100}
	alone       = way{name: "alone", sql: query("sleep"), beside: application}
	gently      = way{name: "gently", policy: "gently", share: 0.01, beside: application}
)

var compared = []deletes{
	{name: "age", table: "message", ways: []way{statement("delete", "delete"), byPolicy("range"),
		// The share is less than one half, at which the breaker trips.
		{name: "range_breaker", policy: "range_breaker", share: 0.49},
		statement("ctid_any", "ctid_any"), statement("id_in", "id_in")}},
	pair("own_guard", "message", ""),
	pair("archive", "message", ""),
	pair("roll_up", "message", ""),
	pair("guard", "message", ""),
	{name: "guard_written", table: "message", plain: true, ways: []way{
		{name: "two_statements", sql: query("two_statements"), share: 0.5, beside: cases},
		{name: "guard", policy: "guard", share: 0.5, beside: cases}}},
	pair("gin", "message", ""),
	{name: "hold", table: "message", plain: true, ways: []way{byPolicy("range"),
		{name: "held", policy: "range", share: 0.5, before: query("hold")}}},
	pair("letter", "letter", ""),
	{name: "refused", table: "bill", check: "refused_left", plain: true, ways: []way{
		{name: "statement", sql: query("refused"), share: 0.015}, {name: "refused", policy: "refused", share: 0.015}}},
	// The application measures its own transactions during a run. The limit is the same without a
	// run.
	{name: "foreground", table: "message", plain: true,
		ways: []way{alone, {name: "compute", sql: query("compute"), beside: application},
			{name: "delete", sql: query("delete"), share: 0.5, beside: application},
			{name: "range", policy: "range", share: 0.5, beside: application}, gently}},
	// The run waits for a standby that lags.
	{name: "standby", table: "message", plain: true, standby: true, ways: []way{alone, gently}},
	pair("mark", "task", "marked"),
	pair("renew", "task", "renewed"),
	// The session claims new keys one by one.
	{name: "claim", table: "message", check: "claimed", plain: true,
		ways: []way{statement("insert", "claim_insert"), statement("claim", "claim")}},
	{name: "cap", table: "queue", ways: []way{statement("delete", "delete_rank"), byPolicy("cap")}},
	{name: "cap_kept", table: "queue", plain: true,
		ways: []way{statement("delete", "delete_rank_kept"), byPolicy("cap_kept")}},
}

// benchNames returns the names that -only accepts.
func benchNames() (names []string) {
	for _, d := range compared {
		names = append(names, d.name)
	}
	return append(names, "nothing", "drop", "tick", "small", "many", "each", "fleet")
}

// window is the window of the policies by age.
const window = 24 * time.Hour

// cutoff returns the timestamp before which exactly that many rows of bench.load lie.
func cutoff(rows int64) time.Time {
	return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rows+1) * time.Second)
}

// role returns the role with whose rights a way runs; "" is the superuser.
func (w way) role() string {
	if w.policy == "" {
		return ""
	}
	return "retention_runner"
}

// run deletes the due rows. The argument due is their number.
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
