package policy

import (
	"time"

	"pgretain/internal/diag"
)

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
