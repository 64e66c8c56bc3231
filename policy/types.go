package policy

import "pgretain/internal/diag"

// File is one policy file, read and checked. Defaults are already applied to every policy.
type File struct {
	Path     string
	Source   []byte
	Install  Install
	Protect  []Table
	Coverage *Coverage // nil: tables without a policy are nobody's business
	Policies []*Policy // in the order of the file
	Reports  []*Report // in the order of the file
	Jobs     []*Job    // in the order of the file
	Suppress []Suppression
}

// Suppression takes what a check finds out of the verdict, for a reason and until a day. It changes
// nothing of what is installed.
type Suppression struct {
	Check    string        // its code, "V053"
	Policy   string        // findings on this policy or report; at most one of Policy, Table, Object
	Table    *Table        // findings on this table
	Object   string        // findings on the object of this name
	Reason   string        // never empty
	Until    string        // the last day, "2027-01-31", in the install's time zone
	Position diag.Position // of the code
}

// Install says where and how the runtime lives.
type Install struct {
	Schema       string   // the runtime's schema, default "retention"
	SearchPath   []string // what names in expressions mean, default ["public"]
	TimeZone     string   // in which days and months are counted, default "UTC"
	Scheduler    string   // "pg_cron" (default) or "none"
	Database     string   // the application's; "" where the file does not say
	CronDatabase string   // where schema cron lives; "" means the same database
	Roles        Roles
	Trust        []Name // further roles whose code may run in batches
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
	Triggers    []Name // of the application, which may run in the batches
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
