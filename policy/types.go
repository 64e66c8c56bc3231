package policy

import (
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
)

// File is one policy file after reading and checking. The defaults are already applied to every
// policy.
type File struct {
	Path     string
	Source   []byte
	Version  version       `yaml:"version,required"`
	Install  Install       `yaml:"install"`
	Protect  []Table       `yaml:"protect,table"`
	Coverage *Coverage     `yaml:"coverage"` // nil: tables without a policy are not checked
	Each     []*Each       `yaml:"each"`     // words that stand for many schemas or for shards
	_        struct{}      `yaml:"defaults,by hand"`
	Policies []*Policy     `yaml:"policies,by hand"` // in the order of the file
	Reports  []*Report     `yaml:"reports"`          // in the order of the file
	Jobs     []*Job        `yaml:"jobs"`             // in the order of the file
	Suppress []Suppression `yaml:"suppress"`
}

// Suppression removes the findings of a check from the result, until a given day. It does not
// change what is installed.
type Suppression struct {
	Check string `yaml:"check,required,check"` // code of the check, for example "V053"
	// policy or report of the findings; at most one of Policy, Table and Object is set
	Policy string `yaml:"policy,subject"`
	Table  *Table `yaml:"table"`                  // table of the findings
	Object string `yaml:"object,object"`          // name of the object of the findings
	Reason string `yaml:"reason,required,reason"` // never empty
	// last day, for example "2027-01-31", in the install's time zone
	Until    string        `yaml:"until,required,day"`
	Position diag.Position // position of the code
}

// Install says where and how the runtime is installed.
type Install struct {
	// schema of the runtime, default "retention"
	Schema string `yaml:"schema,system"`
	// schemas for unqualified names in expressions, default ["public"]
	SearchPath []string `yaml:"search_path,schema of the path"`
	// time zone in which days and months are counted, default "UTC"
	TimeZone  string `yaml:"time_zone,zone"`
	Scheduler string `yaml:"scheduler,pg_cron|none"` // "pg_cron" (default) or "none"
	// database of the tables; "" if the file does not name it
	Database string `yaml:"database,database"`
	// database of pg_cron's schema cron; "" for the database of the tables
	CronDatabase string `yaml:"cron_database,database"`
	Roles        Roles  `yaml:"roles"`
	Trust        []Name `yaml:"trust,role"` // other roles whose code may be executed in batches
	// directory of the migrations, relative to the policy file; "" if the file names none
	Migrations string `yaml:"migrations,directory"`
	// migration tool for which files are written; "" if the file names none
	Format   string `yaml:"format,goose|tern|flyway|psql|plain"`
	Position diag.Position
}

// Roles are the names of the five roles of an install. None means "roles: none": one role does
// everything, and the names are empty.
type Roles struct {
	None     bool
	Owner    string `yaml:"owner,system"`
	Worker   string `yaml:"worker,system"`
	Runner   string `yaml:"runner,system"`
	Operator string `yaml:"operator,system"`
	Viewer   string `yaml:"viewer,system"`
}

// All lists the five roles in the order of their privileges.
func (r Roles) All() []string { return []string{r.Owner, r.Worker, r.Runner, r.Operator, r.Viewer} }

// Table is the name of a table. The schema is "public" if the file names none.
type Table struct {
	Schema, Name string
	Position     diag.Position
}

// String returns "schema.name" without quotes, for messages and for look-ups in the catalog
// snapshot.
func (t Table) String() string { return t.Schema + "." + t.Name }

func (t Table) same(other Table) bool { return t.Schema == other.Schema && t.Name == other.Name }

// Expr is one SQL expression, query or statement. PostgreSQL's grammar parsed it when the file was
// read.
type Expr struct {
	SQL      string
	Position diag.Position // position of the first character

	parsed *pgparse.Expr
}

// Policy is one named rule for one table.
type Policy struct {
	Name        string // matches [a-z][a-z0-9_]*, at most 40 bytes
	Description string `yaml:"description"`
	// the policy's table; with partitions_of, the partitioned table
	Table Table `yaml:"table,by hand"`
	// the policy takes partitions of the table, not rows
	Partitions bool `yaml:"partitions_of,by hand"`
	// columns by which a job or a call may restrict the policy to some rows
	Scope  []Name   `yaml:"scope,column"`
	Where  *Expr    `yaml:"where"` // nil: all rows
	Joins  []Join   `yaml:"join"`
	Due    *Due     `yaml:"due"` // nil: every row for which Where is true is due
	Keep   []Guard  `yaml:"keep"`
	Then   []Step   `yaml:"then"`
	Ensure []Column `yaml:"ensure"`
	// who creates the index that finds the rows: a migration of pgretain, or the application
	Index string `yaml:"index,pgretain|application"`
	Claim *Claim `yaml:"claim"`
	Touch *Touch `yaml:"touch"`
	// triggers of the application that may fire in batches
	Triggers []Name        `yaml:"triggers,trigger"`
	Batch    Batch         `yaml:"batch,of"`
	Budget   Budget        `yaml:"budget,of"`
	Breaker  Breaker       `yaml:"breaker,of"`
	Throttle Throttle      `yaml:"throttle,of"`
	Position diag.Position // position of the policy's name
}

// Join is a named left join. It has one of three forms:
//
//	Table with Where  reads the table under the row lock.
//	Query with Where  reads a query without t once per run (OncePerRun).
//	Query alone       is a LATERAL query, read under the row lock.
type Join struct {
	Name     string `name:"join"`
	Table    *Table `yaml:"table"`
	Query    *Expr  `yaml:"query,query"`
	Where    *Expr  `yaml:"where,required"`
	Position diag.Position
}

// OncePerRun reports whether the join is read at the start of the run.
func (j Join) OncePerRun() bool { return j.Query != nil && j.Where != nil }

// Due says when a row is due: if one of the Entries is true. If the file does not use "any", there
// is exactly one entry.
type Due struct {
	Entries  []Entry
	Position diag.Position
}

// Entry is one condition of "due". It is true for a row if both its clock and its rank are true. At
// least one of the two is set.
type Entry struct {
	Clock    *Clock
	Beyond   *Rank
	Position diag.Position
}

// Clock is an age, an expiry or a position. A position has no Window: its rows are due up to UpTo.
type Clock struct {
	Kind       string   // "age", "expires" or "position"
	Column     string   `yaml:"column,column"` // exactly one of Column and Expression is set
	Expression *Expr    `yaml:"expression"`
	Encoding   Encoding `yaml:"encoding"`
	// first plausible day; a value for an earlier day is no timestamp; "" for the default
	Since     string `yaml:"since,date"`
	NullsDue  bool   // the file says "nulls: due"
	NullsKept bool   // the file says "nulls: keep"
	Inclusive bool   `yaml:"inclusive"`
	Window    Window // older_than, or grace (default 0)
	// query for the greatest value that may be due, read when a run starts
	UpTo      *Expr      `yaml:"up_to,query"`
	Watermark *Watermark `yaml:"watermark"` // of a position only; else nil
	Position  diag.Position
	ColumnPos diag.Position // position of the column's name or of the expression
}

// Watermark is a column that says up to which position all rows are finished.
type Watermark struct {
	Table  Table  `yaml:"table,required"`
	Column string `yaml:"column,required,column"`
	// condition on the columns of Table that selects its row; nil if Table has one row
	Where    *Expr `yaml:"where"`
	Position diag.Position
}

// Encoding says how a number or key holds a timestamp. Kind is "" if the type of the column is a
// timestamp itself. Shift (bits) and Epoch (milliseconds since 1970-01-01 UTC) are used by
// "snowflake" only.
type Encoding struct {
	Kind     string // "", "epoch_s", "epoch_ms", "uuidv7", "ulid", "snowflake"
	Shift    int
	Epoch    int64
	Position diag.Position
}

// Rank keeps or takes rows by their rank. Rows with equal values of Per form a group. In each
// group, sorted by Order, Rank selects as many rows from the beginning as First says.
type Rank struct {
	First     int64       `yaml:"first,required,by hand"` // 0 if Count is set
	Count     *CountData  // number of rows, read from data; nil if First is set
	Per       []Expr      `yaml:"per"`
	Order     []OrderItem `yaml:"order,required,by hand"`
	Among     *Expr       `yaml:"among"`
	WithTies  bool        `yaml:"with_ties"`
	Position  diag.Position
	OrderText Expr // the whole order, as written
}

// OrderItem is one item of an ORDER BY. Its direction and its NULLS FIRST or LAST are explicit.
type OrderItem struct {
	Expr       Expr
	Descending bool
	NullsFirst bool
}

// Guard keeps due rows. Exactly one of Condition and Rank is set.
type Guard struct {
	Name      string `name:"guard"`
	Condition *Expr
	Rank      *Rank
	Position  diag.Position
}

// Window is how long a row is kept. A single interval is one tier without When. A list of tiers
// works like SQL's CASE. If no tier applies to a row, the row is never due.
type Window struct {
	Tiers    []Tier
	Position diag.Position
}

// Tier is one branch of a window. If When is nil, the tier is the "else" branch. If Never is true,
// the rows of the tier are never due. Otherwise the window is Data, or Interval if Data is nil.
type Tier struct {
	When     *Expr
	Never    bool
	Interval Interval
	Data     *WindowData
}

// Data is a window or a number that an expression computes for each row. A positive value is raised
// to AtLeast and lowered to AtMost. NULL means Else, or never if Else is nil. Zero means never
// unless AtLeast is zero. A negative value, or one of NeverValues, means never.
type Data[T any] struct {
	// for a window: "interval", or the unit of a number, "years" to "seconds"; else ""
	Unit        string
	Value       *Expr  // nil for a constant, whose value is Else
	NeverValues []Expr // literals
	Else        *T
	AtLeast     *T // if nil, a window must be longer than zero and cannot be set at run time
	AtMost      *T
	Position    diag.Position
}

// WindowData is a window from data. CountData is the number of rows of a rank from data. If the
// value means never, "beyond" does not take the row, and a guard keeps it.
type (
	WindowData = Data[Interval]
	CountData  = Data[int64]
)

// Interval is a PostgreSQL interval that was checked when the file was read. Text is its normalized
// text, for example "7 days". Months, Days and Time are its parts.
type Interval struct {
	Text     string
	Months   int
	Days     int
	Time     time.Duration
	Position diag.Position
}

// Claim makes an "expires" policy a deduplication set with the functions claim, seen and advance.
type Claim struct {
	Key Name   `yaml:"key,required,column"`
	TTL Window `yaml:"ttl,required"` // has exactly one tier
	// columns of a new entry except key and clock; their values may read only as_of
	Set      []Assignment `yaml:"set"`
	Cursor   *Cursor      `yaml:"cursor"`
	Grant    []Name       `yaml:"grant,role"` // roles that may call the functions
	Position diag.Position
}

// Cursor is a row whose position can only increase.
type Cursor struct {
	Table Table `yaml:"table,required"`
	Key   Name  `yaml:"key,required,column"`
	// columns of the position, most significant first
	Columns []Name `yaml:"position,required,filled,column"`
	// further columns that are set together with the position
	With     []Name `yaml:"with,filled,column"`
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

// Revive re-creates a row that was taken, from a row of another table.
type Revive struct {
	Table Table        `yaml:"table,required"`
	As    string       `yaml:"as,required,alias"`
	Set   []Assignment `yaml:"set,required,filled"` // includes the column of the touched key
	Emit  string       `yaml:"emit,event"`          // event to write; "" for none
	// condition under which Emit is also written for existing rows
	Also     *Expr `yaml:"also"`
	Position diag.Position
}

// Grants lists the roles that may call the functions that a policy creates for applications.
func (p *Policy) Grants() (list []Name) {
	if p.Claim != nil {
		list = append(list, p.Claim.Grant...)
	}
	if p.Touch != nil {
		list = append(list, p.Touch.Grant...)
	}
	return list
}
