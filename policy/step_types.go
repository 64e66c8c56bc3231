package policy

import (
	"time"

	"pgretain/internal/diag"
)

// Step is one effect: exactly one verb is set. Without Related it acts on the batch's rows that meet
// Where, with Related on related rows, and Where is nil.
type Step struct {
	Where     *Expr
	Related   *Related
	Delete    *Delete
	Update    *Update
	Insert    *Insert
	Archive   *Archive
	Emit      *Emit
	SQL       *Expr // one statement over the relation "batch"
	Detach    *Detach
	Drop      *Drop
	DropTable *Expr // the name of a table, from the row
	Position  diag.Position
}

// Related is the table, as, where of a step on related rows. Joins are its own; they read its row
// as well.
type Related struct {
	Table Table
	As    string
	Where Expr
	Joins []Join
}

// Delete removes rows; Cascades lists the tables that foreign keys may reach.
type Delete struct{ Cascades []Table }

// Update sets columns; it writes only rows that would change. Undo, on the batch's own rows only,
// says what restore sets.
type Update struct {
	Set  []Assignment
	Undo []Assignment
}

// Insert writes into another table: with Key one row per group, which changes the row that exists
// by Add, Max, Min and Set; with Per one new row per group, read by later steps as As; otherwise
// one row for each.
type Insert struct {
	Into               Table
	As                 string // "" for none
	Key, Per           []Assignment
	Add, Max, Min, Set []Assignment
}

// Archive copies whole rows: columns of equal names and Set, or the row as a document.
type Archive struct {
	Into     Table
	Set      []Assignment
	Document string // the jsonb column for the whole row; "" for columns
	Existing string // "refuse" (default), "keep" or "replace"
	Create   bool
}

// Emit writes one event for each row.
type Emit struct {
	Event   string
	Payload []Assignment
}

// Detach and Drop act on a partition.
type (
	Detach struct{}
	Drop   struct{}
)

// Assignment gives a column, or a key of a payload, its value.
type Assignment struct {
	Column   string
	Value    Expr
	Position diag.Position // of the column
}

// Name is a name where the file mentions it.
type Name struct {
	Text     string
	Position diag.Position
}

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
