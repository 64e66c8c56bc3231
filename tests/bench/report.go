package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
)

// result is one line of the table and one object of the file. A value without a meaning is null,
// for example the rate of a run that finds no row.
type result struct {
	Bench          string   `json:"bench"`
	Way            string   `json:"way"`
	Snapshot       bool     `json:"snapshot"`
	Rows           int64    `json:"rows"`
	RowsPerSecond  *float64 `json:"rows_per_second"`
	WALBytesPerRow *float64 `json:"wal_bytes_per_row"`
	RatioToLimit   *float64 `json:"ratio_to_limit"`
	Milliseconds   float64  `json:"ms"`
	Flatness       *float64 `json:"flatness,omitempty"` // last quarter of the batches / first quarter
	P99            *float64 `json:"p99_ms,omitempty"`   // 99th percentile of the transactions beside it

	spread float64 // longest time / shortest time
}

func writeJSON(path string, results []result) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func writeTable(out io.Writer, about string, results []result) error {
	fmt.Fprintln(out, about) // Flush below reports an error of out
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "bench\tway\tsnapshot\trows\trows/s\tWAL bytes/row\tof the limit\tms\t"+
		"slowest/fastest\tlast/first quarter\tp99 beside, ms\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%.2f\t%s\t%s\t\n", r.Bench, r.Way, held(r.Snapshot), r.Rows,
			number(r.RowsPerSecond, 0), number(r.WALBytesPerRow, 0), number(r.RatioToLimit, 2),
			number(&r.Milliseconds, 2), r.spread, number(r.Flatness, 2), number(r.P99, 2))
	}
	return w.Flush()
}

func held(snapshot bool) string {
	if snapshot {
		return "held"
	}
	return "-"
}

func number(x *float64, decimals int) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'f', decimals, 64)
}

// median returns the median of a value of the samples.
func median(samples []sample, of func(sample) float64) *float64 {
	var values []float64
	for _, m := range samples {
		values = append(values, of(m))
	}
	return middle(values)
}

// middle returns the median of values, nil if there are none.
func middle(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	m := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return &m
}

// milliseconds returns the median time, and the longest time divided by the shortest.
func milliseconds(samples []sample) (ms, spread float64) {
	took := func(m sample) float64 { return m.took.Seconds() * 1000 }
	slower := func(a, b sample) int { return int(a.took - b.took) }
	slowest, fastest := slices.MaxFunc(samples, slower), slices.MinFunc(samples, slower)
	return *median(samples, took), took(slowest) / took(fastest)
}
