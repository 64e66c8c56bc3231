package policy

import (
	"time"

	"pgretain/internal/diag"
)

// Column is a column that a policy makes sure of: ALTER TABLE ... ADD COLUMN.
type Column struct {
	Name     string
	Type     string // a type name, parsed by PostgreSQL's grammar
	Default  *Expr
	Position diag.Position
}

// Batch bounds one transaction.
type Batch struct {
	Rows        int           // at most; without a time in each batch. Default 50000
	Time        time.Duration // what a batch is sized for; zero where rows alone are given. Default 50ms
	LockTimeout time.Duration // per wait, default 100ms
}

// Usual is how many rows a batch may be expected to have.
func (b Batch) Usual() int {
	if b.Time == 0 {
		return b.Rows
	}
	return min(b.Rows, 5000)
}

// Budget bounds one run; zero means no bound.
type Budget struct {
	Rows int64
	Time time.Duration // default 10m

	RowsPosition, TimePosition diag.Position // zero where the file does not say it
}

// Breaker is what a run may take at most; more due than this and it trips.
type Breaker struct {
	Rows     int64   // default 5000000
	Fraction float64 // of the table, above 10000 rows; default 0.5

	RowsPosition diag.Position // zero where the file does not say it
}

// Throttle slows a run down. Busy is the greatest share of time at work, 0 < Busy <= 1,
// default 1.
type Throttle struct {
	Busy float64
}

// Job is a schedule and the ordered policies and reports that it runs.
type Job struct {
	Name        string
	Schedules   []Schedule
	Run         []Reference  // names of policies and reports
	Strict      bool         // goes on only after "done"
	Scope       []Assignment // literals
	Description string
	Position    diag.Position
}

// Report is a query whose answers are kept with their date.
type Report struct {
	Name        string
	Description string
	Query       Expr
	Alert       *Expr // on a row of Query, alias "report"; true for any: an alert
	Position    diag.Position
}

// Schedule is one pg_cron schedule, checked when the file was read.
type Schedule struct {
	Text     string
	Position diag.Position
}

// Reference is a policy's or report's name where a job mentions it.
type Reference struct {
	Name     string
	Position diag.Position
}
