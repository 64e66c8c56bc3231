package policy

import (
	"time"

	"pgretain/internal/diag"
)

// File is one policy file, read and checked. Defaults are already applied to every policy.
type File struct {
	Path     string
	Source   []byte
	Version  version       `yaml:"version,required"`
	Install  Install       `yaml:"install"`
	Protect  []Table       `yaml:"protect,table"`
	Coverage *Coverage     `yaml:"coverage"` // nil: tables without a policy are not looked at
	Each     []*Each       `yaml:"each"`     // words for many schemas
	_        struct{}      `yaml:"defaults,by hand"`
	Policies []*Policy     `yaml:"policies,by hand"` // in the order of the file
	Reports  []*Report     `yaml:"reports"`          // in the order of the file
	Jobs     []*Job        `yaml:"jobs"`             // in the order of the file
	Suppress []Suppression `yaml:"suppress"`
}

// Suppression takes what a check finds out of the verdict, for a reason and until a day. It changes
// nothing of what is installed.
type Suppression struct {
	Check    string        `yaml:"check,required,check"`   // its code, "V053"
	Policy   string        `yaml:"policy,subject"`         // findings on this policy or report; at most one of Policy, Table, Object
	Table    *Table        `yaml:"table"`                  // findings on this table
	Object   string        `yaml:"object,object"`          // findings on the object of this name
	Reason   string        `yaml:"reason,required,reason"` // never empty
	Until    string        `yaml:"until,required,day"`     // the last day, "2027-01-31", in the install's time zone
	Position diag.Position // of the code
}

// Install says where and how the runtime lives.
type Install struct {
	Schema       string   `yaml:"schema,system"`                  // the runtime's schema, default "retention"
	SearchPath   []string `yaml:"search_path,schema of the path"` // what names in expressions mean, default ["public"]
	TimeZone     string   `yaml:"time_zone,zone"`                 // in which days and months are counted, default "UTC"
	Scheduler    string   `yaml:"scheduler,pg_cron|none"`         // "pg_cron" (default) or "none"
	Database     string   `yaml:"database,database"`              // the application's; "" where the file does not say
	CronDatabase string   `yaml:"cron_database,database"`         // where schema cron lives; "" means the same database
	Roles        Roles    `yaml:"roles"`
	Trust        []Name   `yaml:"trust,role"` // further roles whose code may run in batches
	Position     diag.Position
}

// Roles are the five roles of an install. None is "roles: none": one role does everything, and
// the names are empty.
type Roles struct {
	None     bool
	Owner    string `yaml:"owner,system"`
	Worker   string `yaml:"worker,system"`
	Runner   string `yaml:"runner,system"`
	Operator string `yaml:"operator,system"`
	Viewer   string `yaml:"viewer,system"`
}

// All are the five, in the order of their rights.
func (r Roles) All() []string { return []string{r.Owner, r.Worker, r.Runner, r.Operator, r.Viewer} }

// Table names a table as the file writes it: schema.name, "public" when no schema is given.
type Table struct {
	Schema, Name string
	Position     diag.Position
}

// String is "schema.name", unquoted, for messages and for look-ups in the catalog snapshot.
func (t Table) String() string { return t.Schema + "." + t.Name }

func (t Table) same(other Table) bool { return t.Schema == other.Schema && t.Name == other.Name }

// Expr is one SQL expression, parsed by PostgreSQL's grammar when the file was read.
type Expr struct {
	SQL      string
	Position diag.Position // of its first character in the file
}

// Policy is one named rule for one table.
type Policy struct {
	Name        string        // [a-z][a-z0-9_]*, at most 40 bytes
	Description string        `yaml:"description"`
	Table       Table         `yaml:"table,by hand"`         // for partitions_of: the partitioned table
	Partitions  bool          `yaml:"partitions_of,by hand"` // the rows are the table's partitions
	Scope       []Name        `yaml:"scope,column"`          // columns by which a job or a call may narrow the policy
	Where       *Expr         `yaml:"where"`                 // nil: all rows
	Joins       []Join        `yaml:"join"`
	Due         *Due          `yaml:"due"` // nil: every row of Where is due
	Keep        []Guard       `yaml:"keep"`
	Then        []Step        `yaml:"then"`
	Ensure      []Column      `yaml:"ensure"`
	Claim       *Claim        `yaml:"claim"`
	Touch       *Touch        `yaml:"touch"`
	Triggers    []Name        `yaml:"triggers,trigger"` // of the application, which may run in the batches
	Batch       Batch         `yaml:"batch,of"`
	Budget      Budget        `yaml:"budget,of"`
	Breaker     Breaker       `yaml:"breaker,of"`
	Throttle    Throttle      `yaml:"throttle,of"`
	Position    diag.Position // of the policy's name
}

// Join is a named left join: exactly one of Table, Query is set.
//   - Table with Where: read under the row's lock.
//   - Query with Where: a query without t, read once per run (OncePerRun).
//   - Query alone: LATERAL, read under the row's lock.
type Join struct {
	Name     string `name:"join"`
	Table    *Table `yaml:"table"`
	Query    *Expr  `yaml:"query,query"`
	Where    *Expr  `yaml:"where,required"`
	Position diag.Position
}

// OncePerRun says whether the join is read at the start of the run.
func (j Join) OncePerRun() bool { return j.Query != nil && j.Where != nil }

// Due says when a row must go: any of Entries, each of which is an AND of its parts. Without
// "any" in the file there is exactly one entry.
type Due struct {
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
	Kind       string     // "age", "expires" or "position"
	Column     string     `yaml:"column,column"` // exactly one of Column and Expression is set
	Expression *Expr      `yaml:"expression"`
	Encoding   Encoding   `yaml:"encoding"`
	Since      string     `yaml:"since,date"` // a value that encodes an earlier day has no instant; "" for the default
	NullsDue   bool       // nulls: due
	NullsKept  bool       // nulls: keep, where the file says so
	Inclusive  bool       `yaml:"inclusive"`
	Window     Window     // older_than, or grace (default 0)
	UpTo       *Expr      `yaml:"up_to,query"` // the greatest clock value that may be due, read when a run starts
	Watermark  *Watermark `yaml:"watermark"`   // of a position
	Position   diag.Position
	ColumnPos  diag.Position // of the column's name or the expression
}

// Watermark is a column that says how far a position has been worked off.
type Watermark struct {
	Table    Table  `yaml:"table,required"`
	Column   string `yaml:"column,required,column"`
	Where    *Expr  `yaml:"where"` // which row of Table, on its own columns; nil: its only row
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

// Rank spares or takes rows by their place: the first First rows of each group Per in Order.
type Rank struct {
	First     int64       `yaml:"first,required,by hand"` // where Count is nil
	Count     *CountData  // how many, from data
	Per       []Expr      `yaml:"per"`
	Order     []OrderItem `yaml:"order,required,by hand"`
	Among     *Expr       `yaml:"among"`
	WithTies  bool        `yaml:"with_ties"`
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
	Name      string `name:"guard"`
	Condition *Expr
	Rank      *Rank
	Position  diag.Position
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
}

// Data is an amount that an expression gives, row by row. A positive value is raised to AtLeast and lowered to AtMost;
// NULL means Else, and never where there is none; zero means never unless AtLeast is zero; a negative one and those of
// NeverValues mean never.
type Data[T any] struct {
	Unit        string // of a window: years, months, weeks, days, hours, minutes, seconds: a number; interval
	Value       *Expr  // nil: a constant, which is Else
	NeverValues []Expr // literals
	Else        *T
	AtLeast     *T // of a window, nil: longer than zero, and the window cannot be set at run time
	AtMost      *T
	Position    diag.Position
}

// WindowData is a window from data; CountData is how many rows of a rank count: one whose number is never is not taken
// by "beyond", and is spared by a guard.
type (
	WindowData = Data[Interval]
	CountData  = Data[int64]
)

// Interval is a PostgreSQL interval that was checked when the file was read. Text is what the
// file says, in one normal form, e.g. "7 days". Months, Days and Time are its parts.
type Interval struct {
	Text     string
	Months   int
	Days     int
	Time     time.Duration
	Position diag.Position
}

// Claim makes an "expires" policy a deduplication set: functions claim, seen and advance.
type Claim struct {
	Key      Name         `yaml:"key,required,column"`
	TTL      Window       `yaml:"ttl,required"` // one tier, never tiered
	Set      []Assignment `yaml:"set"`          // columns of a new entry besides key and clock; reads as_of only
	Cursor   *Cursor      `yaml:"cursor"`
	Grant    []Name       `yaml:"grant,role"` // roles that may call the functions
	Position diag.Position
}

// Cursor is a row that only moves forward.
type Cursor struct {
	Table    Table  `yaml:"table,required"`
	Key      Name   `yaml:"key,required,column"`
	Columns  []Name `yaml:"position,required,filled,column"` // the position, most significant first
	With     []Name `yaml:"with,filled,column"`              // columns that are set with it, in no order
	Position diag.Position
}

// Touch generates a function that sets columns of the rows with given keys.
type Touch struct {
	Key      Name         `yaml:"key,required,column"`
	Set      []Assignment `yaml:"set,required,filled"`
	Revive   *Revive      `yaml:"revive"`
	Grant    []Name       `yaml:"grant,role"`
	Position diag.Position
}

// Revive makes a row that went anew, from a row of another table.
type Revive struct {
	Table    Table        `yaml:"table,required"`
	As       string       `yaml:"as,required,alias"`
	Set      []Assignment `yaml:"set,required,filled"` // the touched key's column among them
	Emit     string       `yaml:"emit,event"`          // "" for none
	Also     *Expr        `yaml:"also"`                // Emit is written for rows that are there, too, where this is true
	Position diag.Position
}

// Grants lists the roles that may call the functions which a policy makes for applications.
func (p *Policy) Grants() (list []Name) {
	if p.Claim != nil {
		list = append(list, p.Claim.Grant...)
	}
	if p.Touch != nil {
		list = append(list, p.Touch.Grant...)
	}
	return list
}
