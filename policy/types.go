package policy

import (
	"time"

	"pgretain/internal/diag"
)

// File is one policy file, read and checked. Defaults are already applied to every policy.
type File struct {
	Path     string
	Source   []byte
	Install  Install
	Protect  []Table
	Policies []*Policy // in the order of the file
	Reports  []*Report // in the order of the file
	Jobs     []*Job    // in the order of the file
}

// Install says where and how the runtime lives.
type Install struct {
	Schema       string   // the runtime's schema, default "retention"
	SearchPath   []string // what names in expressions mean, default ["public"]
	TimeZone     string   // in which days and months are counted, default "UTC"
	Scheduler    string   // "pg_cron" (default) or "none"
	CronDatabase string   // where schema cron lives; "" means the same database
	Roles        Roles
	Position     diag.Position
}

// Roles are the four roles of an install. None is "roles: none": one role does everything, and
// the names are empty.
type Roles struct {
	None                            bool
	Owner, Runner, Operator, Viewer string
}

// Table names a table as the file writes it: schema.name, "public" when no schema is given.
type Table struct {
	Schema, Name string
	Position     diag.Position
}

// String is "schema.name", unquoted, for messages and for look-ups in the catalog snapshot.
func (t Table) String() string { return t.Schema + "." + t.Name }

// Expr is one SQL expression, parsed by PostgreSQL's grammar when the file was read.
type Expr struct {
	SQL      string
	Position diag.Position // of its first character in the file
}

// Policy is one named rule for one table.
type Policy struct {
	Name        string // [a-z][a-z0-9_]*, at most 40 bytes
	Description string
	Table       Table  // for partitions_of: the partitioned table
	Partitions  bool   // partitions_of: the rows are the table's partitions
	Scope       []Name // columns by which a job or a call may narrow the policy
	Where       *Expr  // nil: all rows
	Joins       []Join
	Due         *Due // nil: every row of Where is due
	Keep        []Guard
	Then        []Step
	Claim       *Claim
	Touch       *Touch
	Ensure      []Column
	Batch       Batch
	Budget      Budget
	Breaker     Breaker
	Throttle    Throttle
	Position    diag.Position // of the policy's name
}

// Join is a named left join: exactly one of Table, Query is set.
//   - Table with Where: read under the row's lock.
//   - Query with Where: a query without t, read once per run (OncePerRun).
//   - Query alone: LATERAL, read under the row's lock.
type Join struct {
	Name     string
	Table    *Table
	Query    *Expr
	Where    *Expr
	Position diag.Position
}

// OncePerRun says whether the join is read at the start of the run.
func (j Join) OncePerRun() bool { return j.Query != nil && j.Where != nil }

// Due says when a row must go: any of Entries, each of which is an AND of its parts. Without
// "any" in the file there is exactly one entry.
type Due struct {
	Any      bool
	Entries  []Entry
	Position diag.Position
}

// Entry is one AND of a clock and a rank; at least one of them is set.
type Entry struct {
	Clock    *Clock
	Beyond   *Rank
	Position diag.Position
}

// Clock is an age, an expiry or a position. A position has no Window: its rows are due up to UpTo.
type Clock struct {
	Kind       string // "age", "expires" or "position"
	Column     string // exactly one of Column and Expression is set
	Expression *Expr
	Encoding   Encoding
	NullsDue   bool // nulls: due
	Inclusive  bool
	Window     Window     // older_than, or grace (default 0)
	UpTo       *Expr      // a query: the greatest clock value that may be due, read when a run starts
	Watermark  *Watermark // of a position
	Position   diag.Position
	ColumnPos  diag.Position // of the column's name or the expression
}

// Watermark is a column that says how far a position has been worked off.
type Watermark struct {
	Table    Table
	Column   string
	Where    *Expr // which row of Table, on its own columns; nil: its only row
	Position diag.Position
}

// Encoding says how a number or key holds an instant; Kind "" means the column's own type does.
// Shift and Epoch (milliseconds since 1970-01-01 UTC) belong to "snowflake".
type Encoding struct {
	Kind     string // "", "epoch_s", "epoch_ms", "uuidv7", "ulid", "snowflake"
	Shift    int
	Epoch    int64
	Position diag.Position
}

// Window is how long a row is kept. A literal is one tier without When; a list is SQL's CASE,
// in which a row that meets no tier is never due.
type Window struct {
	Tiers    []Tier
	Position diag.Position
}

// Tier is one branch of a window: nil When is "else", Never is a null window. Otherwise it is Data,
// or Interval where Data is nil.
type Tier struct {
	When     *Expr
	Never    bool
	Interval Interval
	Data     *WindowData
	Position diag.Position
}

// WindowData is a window that an expression gives, row by row. A positive value is raised to AtLeast
// and lowered to AtMost; NULL means Else, and never where there is none; zero means never unless
// AtLeast is zero; a negative one and those of NeverValues mean never.
type WindowData struct {
	Unit        string // years, months, weeks, days, hours, minutes, seconds: a number; interval
	Value       *Expr  // nil: a constant, which is Else
	NeverValues []Expr // literals
	Else        *Interval
	AtLeast     *Interval // nil: longer than zero, and the window cannot be set at run time
	AtMost      *Interval
	Position    diag.Position
}

// Interval is a PostgreSQL interval that was checked when the file was read. Text is what the
// file says, in one normal form, e.g. "7 days". Months, Days and Time are its parts.
type Interval struct {
	Text     string
	Months   int
	Days     int
	Time     time.Duration
	Position diag.Position
}

// Rank spares or takes rows by their place: the first First rows of each group Per in Order.
type Rank struct {
	First     int64      // where Count is nil
	Count     *CountData // how many, from data
	Per       []Expr
	Order     []OrderItem
	Among     *Expr
	WithTies  bool
	Position  diag.Position
	OrderText Expr // the whole order, as written
}

// CountData is a number that an expression gives, row by row, with the rules of WindowData: a row
// whose number is never is not taken by "beyond", and is spared by a guard.
type CountData struct {
	Value       Expr
	NeverValues []Expr // literals
	Else        *int64
	AtLeast     *int64
	AtMost      *int64
	Position    diag.Position
}

// OrderItem is one item of an ORDER BY, with direction and NULLS placement written out.
type OrderItem struct {
	Expr       Expr
	Descending bool
	NullsFirst bool
}

// Guard spares due rows: exactly one of Condition and Rank is set.
type Guard struct {
	Name      string
	Condition *Expr
	Rank      *Rank
	Position  diag.Position
}

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

// Claim makes an "expires" policy a deduplication set: functions claim, seen and advance.
type Claim struct {
	Key      Name
	TTL      Window       // one tier, never tiered
	Set      []Assignment // columns of a new entry besides key and clock; reads as_of only
	Cursor   *Cursor
	Grant    []Name // roles that may call the functions
	Position diag.Position
}

// Cursor is a row that only moves forward.
type Cursor struct {
	Table    Table
	Key      Name
	Columns  []Name // the position, most significant first
	Position diag.Position
}

// Touch generates a function that sets columns of the rows with given keys.
type Touch struct {
	Key      Name
	Set      []Assignment
	Revive   *Revive
	Grant    []Name
	Position diag.Position
}

// Revive makes a row that went anew, from a row of another table.
type Revive struct {
	Table    Table
	As       string
	Set      []Assignment // the touched key's column among them
	Emit     string       // "" for none
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
	Rows        int           // default 5000
	LockTimeout time.Duration // per wait, default 100ms
}

// Budget bounds one run; zero means no bound.
type Budget struct {
	Rows int64
	Time time.Duration // default 10m
}

// Breaker is what a run may take at most; more due than this and it trips.
type Breaker struct {
	Rows     int64   // default 5000000
	Fraction float64 // of the table, above 10000 rows; default 0.5
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
