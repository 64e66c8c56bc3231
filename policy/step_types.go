package policy

import (
	"slices"
	"time"

	"pgretain/internal/diag"
)

// Step is one step of a policy; exactly one verb is set. If Related is nil, the step acts on the
// rows of the batch for which Where is true. Otherwise the step acts on related rows, and Where is
// nil.
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
	DropTable *Expr    `yaml:"drop_table"` // name of a table to drop, computed from the row
	Position  diag.Position
}

// Related holds the keys table, as, where and join of a step on related rows. Its joins can read
// the related row.
type Related struct {
	Table Table  `yaml:"table"`
	As    string `yaml:"as,alias"`
	Where Expr   `yaml:"where"`
	Joins []Join `yaml:"join"`

	AsPosition diag.Position
}

// Delete deletes rows. Cascades lists the tables that foreign keys may reach.
type Delete struct {
	Cascades []Table `yaml:"cascades,table"`
}

// Update sets columns, and writes only rows that would change. Undo sets the values that restore
// writes; it is allowed only on the policy's own rows.
type Update struct {
	Set  []Assignment `yaml:"set,required,filled"`
	Undo []Assignment `yaml:"undo,filled"`
}

// Insert inserts into another table. If Key is set, the step inserts one row per group. If the row
// exists, Add, Max, Min and Set change it. If Per is set, the step inserts one new row per group.
// Later steps read this row under the name As. Otherwise the step inserts one row for each row of
// the batch.
type Insert struct {
	Into Table        `yaml:"into,required"`
	As   string       // name by which later steps read the new row; "" for none
	Key  []Assignment `yaml:"key,filled"`
	Per  []Assignment `yaml:"per,filled"`
	Add  []Assignment `yaml:"add"`
	Max  []Assignment `yaml:"max"`
	Min  []Assignment `yaml:"min"`
	Set  []Assignment `yaml:"set"`

	AsPosition diag.Position
}

// Assignments returns all columns that the insert writes.
func (in *Insert) Assignments() []Assignment {
	return slices.Concat(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set)
}

// Archive copies whole rows, either to columns or to one document. A column has the same name in
// both tables, unless Columns or Set names it.
type Archive struct {
	Into    Table        `yaml:"into,required"`
	Columns []Renamed    `yaml:"columns,filled"`
	Set     []Assignment `yaml:"set"`
	// jsonb column for the whole row; "" if the row is copied to columns
	Document string `yaml:"document,column"`
	// what to do if the archive has the row: "refuse" (default), "keep" or "replace"
	Existing string `yaml:"existing,refuse|keep|replace"`
	Create   bool   `yaml:"create"`
}

// NameOf returns the name that a column of the row has in the archive.
func (a *Archive) NameOf(column string) string {
	for _, c := range a.Columns {
		if c.From.Text == column {
			return c.Name
		}
	}
	return column
}

// Renamed is a column of an archive that has another name than the column of the row.
type Renamed struct {
	Name     string `name:"column"`
	From     Name
	Position diag.Position // position of Name
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

// Assignment sets a column, or a key of a payload, to a value.
type Assignment struct {
	Column   string
	Value    Expr
	Position diag.Position // position of the column
}

// Name is a name, or another word, with its position in the file.
type Name struct {
	Text     string
	Position diag.Position
}

// String returns the text, for messages.
func (n Name) String() string { return n.Text }

// Column is a column that a migration adds if the table does not have it.
type Column struct {
	Name    string `name:"column"`
	Type    string `yaml:"type,required,type"` // a type name, parsed by PostgreSQL's grammar
	Default *Expr  `yaml:"default,default"`
	// who adds the column: a migration of pgretain, or the application
	By       string `yaml:"by,pgretain|application"`
	Position diag.Position
}

// Batch limits one transaction.
type Batch struct {
	// rows that a batch reads: the maximum if Time is set, else the exact number; default 50,000
	Rows int `yaml:"rows,1..1000000"`
	// target duration of a batch, default 50 ms; zero if only Rows is set
	Time        time.Duration `yaml:"time,1ms"`
	LockTimeout time.Duration `yaml:"lock_timeout,1ms"` // longest wait for one lock, default 100 ms
	// an error in a row undoes the batch and ends the run
	Whole bool `yaml:"whole"`
}

// ExpectedRows returns how many rows a batch usually has.
func (b Batch) ExpectedRows() int {
	if b.Time == 0 {
		return b.Rows
	}
	return min(b.Rows, 5000)
}

// Budget limits one run. Zero means no limit.
type Budget struct {
	Rows int64         `yaml:"rows,null,1..9223372036854775807"`
	Time time.Duration `yaml:"time,null,1s"` // default 10 min
}

// Breaker limits how many rows may be due. If more rows are due, the run ends tripped and takes
// none.
type Breaker struct {
	Rows int64 `yaml:"rows,1..9223372036854775807"` // default 5,000,000
	// share of the table, for tables of at least 10,000 rows; default 0.5
	Fraction float64 `yaml:"fraction"`
}

// Throttle slows a run down. Busy is the greatest share of time that a run works: 0 < Busy <= 1,
// default 1. Before a batch, the run waits while a replica lags by more than ReplicaLag. It also
// waits while more than PendingArchival WAL files wait for the archiver. After a batch, it waits as
// long as the batch's WAL takes at WALRate. Zero turns a limit off.
type Throttle struct {
	Busy            float64       `yaml:"busy"`
	ReplicaLag      time.Duration `yaml:"replica_lag,1s"`
	PendingArchival int64         `yaml:"pending_archival,1..1000000"`
	WALRate         Rate          `yaml:"wal_rate"`
}

// Rate is a number of bytes per second, written like "64MB/s".
type Rate int64

// Job is a schedule with an ordered list of policies and reports to run.
type Job struct {
	Name      string     `name:"job"`
	Schedules []Schedule `yaml:"schedule,required,filled,schedule"`
	Run       []Name     `yaml:"run,required,filled,policy"` // names of policies and reports
	// the job runs the next policy only if the last one ended done
	Strict      bool         `yaml:"strict"`
	Scope       []Assignment `yaml:"scope,filled,literal"` // each value is a literal
	Description string       `yaml:"description"`
	Position    diag.Position
}

// Report is a query whose results are stored with their date.
type Report struct {
	Name        string `name:"report"`
	Description string `yaml:"description"`
	Query       Expr   `yaml:"query,required,query"`
	// condition on a row of Query, named "report"; true for one row raises an alert
	Alert    *Expr `yaml:"alert"`
	Position diag.Position
}

// Schedule is one pg_cron schedule. Its syntax was checked when the file was read.
type Schedule = Name
