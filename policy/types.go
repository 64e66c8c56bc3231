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
	Table       Table
	Where       *Expr // nil: all rows
	Joins       []Join
	Due         *Due // nil: every row of Where is due
	Keep        []Guard
	Then        []Step
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

// Clock is an age or an expiry.
type Clock struct {
	Kind       string // "age" or "expires"
	Column     string // exactly one of Column and Expression is set
	Expression *Expr
	Encoding   Encoding
	NullsDue   bool // nulls: due
	Inclusive  bool
	Window     Window // older_than, or grace (default 0)
	Position   diag.Position
	ColumnPos  diag.Position // of the column's name or the expression
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

// Tier is one branch of a window: nil When is "else", Never is a null window.
type Tier struct {
	When     *Expr
	Never    bool
	Interval Interval
	Position diag.Position
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
	First     int64
	Per       []Expr
	Order     []OrderItem
	Among     *Expr
	WithTies  bool
	Position  diag.Position
	OrderText Expr // the whole order, as written
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

// Step is one effect. Exactly one field is set; a new kind of step adds a field here.
type Step struct {
	Delete   *Delete
	Position diag.Position
}

// Delete removes the batch's rows (Related nil) or related rows.
type Delete struct {
	Where    *Expr // without Related: which rows of the batch
	Cascades []Table
	Related  *Related
}

// Related is the table, as, where of a step on related rows.
type Related struct {
	Table Table
	As    string
	Where Expr
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

// Job is a schedule and the ordered policies that it runs.
type Job struct {
	Name        string
	Schedules   []Schedule
	Run         []Reference // policy names
	Description string
	Position    diag.Position
}

// Schedule is one pg_cron schedule, checked when the file was read.
type Schedule struct {
	Text     string
	Position diag.Position
}

// Reference is a policy's name where a job mentions it.
type Reference struct {
	Name     string
	Position diag.Position
}
