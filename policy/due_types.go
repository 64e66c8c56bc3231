package policy

import "pgretain/internal/diag"

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
	NullsKept  bool // nulls: keep, where the file says so
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
