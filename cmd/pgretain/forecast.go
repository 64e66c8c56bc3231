package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/policy"
)

// forecast says how a policy will be after its first run. Each figure says how it is known. An
// unknown figure has no value.
type forecast struct {
	RowsStay        figure[int64]   `json:"rows_stay"`  // rows of the table after the first run
	BytesStay       figure[size]    `json:"bytes_stay"` // their size, with indexes
	TableBytes      *size           `json:"table_bytes"`
	RowsADay        figure[rate]    `json:"rows_a_day"` // rows that go
	RunSeconds      figure[seconds] `json:"run_seconds"`
	Budget          *seconds        `json:"budget_seconds"` // after which a run begins no batch
	FirstRows       figure[int64]   `json:"first_run_rows"` // rows that go at first
	FirstRuns       int64           `json:"first_runs"`     // least number of runs for these rows
	FirstRunSeconds figure[seconds] `json:"first_run_seconds"`
}

// figure is a number of a forecast. Basis is "measured", "estimated" or "unknown".
type figure[T ~int64 | ~float64] struct {
	Value *T     `json:"value"`
	Basis string `json:"basis"`
}

// rate is a number of rows in a day.
type rate float64

func (r rate) String() string {
	if r < 10 && r != rate(int64(r)) {
		return strconv.FormatFloat(float64(r), 'f', 1, 64)
	}
	return count(int64(math.Round(float64(r))))
}

func measured[T ~int64 | ~float64](n T) figure[T]  { return figure[T]{&n, "measured"} }
func estimated[T ~int64 | ~float64](n T) figure[T] { return figure[T]{&n, "estimated"} }
func unknown[T ~int64 | ~float64]() figure[T]      { return figure[T]{nil, "unknown"} }

// guess makes a measured figure an estimated one.
func (f *figure[T]) guess() {
	if f.Value != nil {
		f.Basis = "estimated"
	}
}

// String returns the number with its basis, for a table.
func (f figure[T]) String() string {
	if f.Value == nil {
		return f.Basis
	}
	return cell(f.Value) + ", " + f.Basis
}

// First says what the first run takes, and how many runs that needs.
func (f *forecast) First() string {
	if f.FirstRuns > 1 {
		return f.FirstRows.String() + ", in " + count(f.FirstRuns) + " runs or more"
	}
	return f.FirstRows.String()
}

const (
	// horizon is the number of days for which plan counts the rows that become due.
	horizon = 7
	// horizonRows is the number of these rows at which counting stops.
	horizonRows = 1_000_000
)

// forecast returns the forecast of a policy that was previewed. It uses the table's statistics, a
// bounded count of the rows that become due next, and the run log. "name" is the name of an
// instance or of the policy. "changed" says that the policy of the file differs from the installed
// one.
func (p *planner) forecast(ctx context.Context, name string, of *policy.Policy, changed bool,
	now *preview) (*forecast, error) {
	f := &forecast{RowsStay: unknown[int64](), BytesStay: unknown[size](), RowsADay: unknown[rate](),
		RunSeconds: unknown[seconds](), FirstRows: measured(*now.Due), FirstRuns: max(now.Runs(), 1),
		FirstRunSeconds: unknown[seconds]()}
	if of.Budget.Time > 0 {
		f.Budget = orNull(seconds(of.Budget.Time.Seconds()))
	}
	if now.Seconds != nil {
		f.FirstRunSeconds = estimated(*now.Seconds * seconds(f.FirstRuns)) // from the pace of earlier runs
	}
	if err := p.stays(ctx, of, now, f); err != nil {
		return nil, err
	}
	if err := p.ran(ctx, name, now, f); err != nil {
		return nil, err
	}
	if changed { // its runs were those of the installed policy
		f.RowsADay.guess()
		f.RunSeconds.guess()
	}
	if f.RowsADay.Value == nil {
		return f, p.becomeDue(ctx, name, of, now, f)
	}
	return f, nil
}

// stays estimates the rows of the table that the policy leaves.
func (p *planner) stays(ctx context.Context, of *policy.Policy, now *preview, f *forecast) error {
	var rows, bytes *int64
	err := p.attempt(ctx, func() error {
		return p.scratch.row(ctx, "plan_table", now.Table).Scan(&rows, &bytes)
	})
	if err != nil {
		return notRefused(err)
	}
	f.TableBytes = (*size)(bytes)
	own := slices.DeleteFunc(slices.Clone(of.Then), func(s policy.Step) bool {
		return s.Delete == nil || s.Related != nil
	})
	gone := int64(0) // an update leaves the rows
	if len(own) > 0 {
		gone = *now.Due
	}
	partly := slices.ContainsFunc(own, func(s policy.Step) bool { return s.Where != nil })
	// The statistics may be older than the rows.
	if of.Partitions || partly || rows == nil || *rows < gone || *rows == 0 && gone == 0 && *bytes > 0 {
		return nil
	}
	f.RowsStay = estimated(*rows - gone)
	if *rows > 0 {
		f.BytesStay = estimated(size(float64(*bytes) * float64(*f.RowsStay.Value) / float64(*rows)))
	}
	return nil
}

// ran reads the figures of a policy that has run from the run log.
func (p *planner) ran(ctx context.Context, name string, now *preview, f *forecast) error {
	if !p.hasRuntime() {
		return nil
	}
	var a, median *float64
	err := p.attempt(ctx, func() error {
		return p.live.row(ctx, "plan_log", name, now.scope()).Scan(&a, &median)
	})
	if err != nil {
		return notRefused(err)
	}
	if a != nil {
		f.RowsADay = measured(rate(*a))
	}
	if median != nil {
		f.RunSeconds = measured(seconds(*median))
	}
	return nil
}

// becomeDue counts the rows that become due within the horizon if nobody changes them. The figure
// stays unknown if rows do not become due by time alone.
func (p *planner) becomeDue(ctx context.Context, name string, of *policy.Policy, now *preview, f *forecast) error {
	entries := of.DueEntries()
	timeless := func(e policy.Entry) bool { return e.Clock == nil || e.Beyond != nil || e.Clock.Kind == "position" }
	if len(entries) == 0 || slices.ContainsFunc(entries, timeless) {
		return nil
	}
	var due int64
	var capped bool
	err := p.attempt(ctx, func() error {
		return p.scratch.row(ctx, "plan_due", name, p.AsOf, horizon, now.scope(), *now.Due+horizonRows).
			Scan(&due, &capped)
	})
	if err != nil {
		return notRefused(err)
	}
	if !capped {
		f.RowsADay = estimated(rate(max(due-*now.Due, 0)) / horizon)
	}
	return nil
}

// notRefused returns an error of the connection. For an error of the server it returns nil: the
// figures are then unknown.
func notRefused(err error) error {
	if _, refused := errors.AsType[*pgconn.PgError](err); refused {
		return nil
	}
	return err
}
