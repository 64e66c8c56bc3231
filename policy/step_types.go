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
	Delete    *Delete  `yaml:"delete"`
	Update    *Update  `yaml:"update"`
	Insert    *Insert  `yaml:"insert"`
	Archive   *Archive `yaml:"archive"`
	Emit      *Emit    `yaml:"emit"`
	SQL       *Expr    `yaml:"sql"` // one statement over the relation "batch"
	Detach    *Detach  `yaml:"detach"`
	Drop      *Drop    `yaml:"drop"`
	DropTable *Expr    `yaml:"drop_table"` // the name of a table, from the row
	Position  diag.Position
}

// Related is the table, as, where of a step on related rows. Joins are its own; they read its row
// as well.
type Related struct {
	Table Table  `yaml:"table"`
	As    string `yaml:"as,alias"`
	Where Expr   `yaml:"where"`
	Joins []Join `yaml:"join"`

	AsPosition diag.Position
}

// Delete removes rows; Cascades lists the tables that foreign keys may reach.
type Delete struct {
	Cascades []Table `yaml:"cascades,table"`
}

// Update sets columns; it writes only rows that would change. Undo, on the batch's own rows only,
// says what restore sets.
type Update struct {
	Set  []Assignment `yaml:"set,required,filled"`
	Undo []Assignment `yaml:"undo,filled"`
}

// Insert writes into another table: with Key one row per group, which changes the row that exists
// by Add, Max, Min and Set; with Per one new row per group, read by later steps as As; otherwise
// one row for each.
type Insert struct {
	Into Table        `yaml:"into,required"`
	As   string       // "" for none
	Key  []Assignment `yaml:"key,filled"`
	Per  []Assignment `yaml:"per,filled"`
	Add  []Assignment `yaml:"add"`
	Max  []Assignment `yaml:"max"`
	Min  []Assignment `yaml:"min"`
	Set  []Assignment `yaml:"set"`

	AsPosition diag.Position
}

// Archive copies whole rows: their columns, under equal names but for Columns, and Set; or the row as a document.
type Archive struct {
	Into     Table        `yaml:"into,required"`
	Columns  []Renamed    `yaml:"columns,filled"`
	Set      []Assignment `yaml:"set"`
	Document string       `yaml:"document,column"`              // the jsonb column for the whole row; "" for columns
	Existing string       `yaml:"existing,refuse|keep|replace"` // "refuse" (default), "keep" or "replace"
	Create   bool         `yaml:"create"`
}

// NameOf is what the archive calls a column of the row.
func (a *Archive) NameOf(column string) string {
	for _, c := range a.Columns {
		if c.From.Text == column {
			return c.Name
		}
	}
	return column
}

// Renamed is a column of an archive that holds the values of another column of the row.
type Renamed struct {
	Name     string `name:"column"`
	From     Name
	Position diag.Position // of Name
}

func (c *Renamed) read(r *reader, f field) {
	r.read(f, &c.From, "column")
}

// Emit writes one event for each row.
type Emit struct {
	Event   string       `yaml:"event,required,event"`
	Payload []Assignment `yaml:"payload,payload"`
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

// Name is a name, or another word, where the file mentions it.
type Name struct {
	Text     string
	Position diag.Position
}

// String is the text, for messages.
func (n Name) String() string { return n.Text }

// Column is a column that a policy makes sure of: ALTER TABLE ... ADD COLUMN.
type Column struct {
	Name     string `name:"column"`
	Type     string `yaml:"type,required,type"` // a type name, parsed by PostgreSQL's grammar
	Default  *Expr  `yaml:"default,default"`
	Position diag.Position
}

// Batch bounds one transaction.
type Batch struct {
	Rows        int           `yaml:"rows,1..1000000"`  // at most; without a time in each batch. Default 50000
	Time        time.Duration `yaml:"time,1ms"`         // what a batch is sized for; zero where rows alone are given. Default 50ms
	LockTimeout time.Duration `yaml:"lock_timeout,1ms"` // per wait, default 100ms
	Whole       bool          `yaml:"whole"`            // an error that a row causes undoes it and ends the run
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
	Rows int64         `yaml:"rows,null,1..9223372036854775807"`
	Time time.Duration `yaml:"time,null,1s"` // default 10m
}

// Breaker is what a run may take at most; more due than this and it trips.
type Breaker struct {
	Rows     int64   `yaml:"rows,1..9223372036854775807"` // default 5000000
	Fraction float64 `yaml:"fraction"`                    // of the table, above 10000 rows; default 0.5
}

// Throttle slows a run down. Busy is the greatest share of time at work, 0 < Busy <= 1, default 1. Before a batch it
// waits while a replica lags by more than ReplicaLag, or more than PendingArchival files of WAL are to be archived;
// after it, for as long as its WAL takes at WALRate. Zero: it does not look.
type Throttle struct {
	Busy            float64       `yaml:"busy"`
	ReplicaLag      time.Duration `yaml:"replica_lag,1s"`
	PendingArchival int64         `yaml:"pending_archival,1..1000000"`
	WALRate         Rate          `yaml:"wal_rate"`
}

// Rate is a number of bytes a second, "64MB/s".
type Rate int64

// Job is a schedule and the ordered policies and reports that it runs.
type Job struct {
	Name        string       `name:"job"`
	Schedules   []Schedule   `yaml:"schedule,required,filled,schedule"`
	Run         []Name       `yaml:"run,required,filled,policy"` // and reports
	Strict      bool         `yaml:"strict"`                     // goes on only after "done"
	Scope       []Assignment `yaml:"scope,filled,literal"`       // literals
	Description string       `yaml:"description"`
	Position    diag.Position
}

// Report is a query whose answers are kept with their date.
type Report struct {
	Name        string `name:"report"`
	Description string `yaml:"description"`
	Query       Expr   `yaml:"query,required,query"`
	Alert       *Expr  `yaml:"alert"` // on a row of Query, alias "report"; true for any: an alert
	Position    diag.Position
}

// Schedule is one pg_cron schedule, checked when the file was read.
type Schedule = Name
