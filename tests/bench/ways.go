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

// statement is a way by SQL that people write, that of a file; byPolicy one by a policy. Half of
// the rows are due.
func statement(name, file string) way { return way{name: name, sql: query(file), share: 0.5} }
func byPolicy(name string) way        { return way{name: name, policy: name, share: 0.5} }

// pair is a statement and a policy of one name.
func pair(name, table, check string, more ...way) deletes {
	ways := append([]way{statement("statement", name), byPolicy(name)}, more...)
	return deletes{name: name, table: table, check: check, plain: true, ways: ways}
}

var (
	application = &beside{query("foreground"), 400}
	alone       = way{name: "alone", sql: query("sleep"), beside: application}
	gently      = way{name: "gently", policy: "gently", share: 0.01, beside: application}
)

var compared = []deletes{
	{name: "age", table: "message", ways: []way{statement("delete", "delete"), byPolicy("range"),
		// less than the half at which the breaker of a run trips
		{name: "range_breaker", policy: "range_breaker", share: 0.49},
		statement("ctid_any", "ctid_any"), statement("id_in", "id_in")}},
	pair("own_guard", "message", ""),
	pair("archive", "message", ""),
	pair("roll_up", "message", ""),
	pair("guard", "message", "", way{name: "guard_written", policy: "guard", share: 0.5,
		beside: &beside{query("open_cases"), 100}}),
	pair("letter", "letter", ""),
	// What an application notices of a run: the limit is how it fares without one.
	{name: "foreground", table: "message", plain: true,
		ways: []way{alone, {name: "compute", sql: query("compute"), beside: application},
			{name: "range", policy: "range", share: 0.5, beside: application}, gently}},
	// The same while a standby lags, for which the run waits.
	{name: "standby", table: "message", plain: true, standby: true, ways: []way{alone, gently}},
	pair("mark", "task", "marked"),
	pair("renew", "task", "renewed"),
	// New keys, claimed one by one in one session.
	{name: "claim", table: "message", check: "claimed", plain: true,
		ways: []way{statement("insert", "claim_insert"), statement("claim", "claim")}},
	{name: "cap", table: "queue", ways: []way{statement("delete", "delete_rank"), byPolicy("cap")}},
	{name: "cap_kept", table: "queue", plain: true,
		ways: []way{statement("delete", "delete_rank_kept"), byPolicy("cap_kept")}},
}

// benchNames are what -only takes.
func benchNames() (names []string) {
	for _, d := range compared {
		names = append(names, d.name)
	}
	return append(names, "nothing", "many", "each", "fleet")
}

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
