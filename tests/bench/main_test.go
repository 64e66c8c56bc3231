package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/sandbox"
	"pgretain/tests/fixture"
)

// TestSmall runs all benches once with few rows. bench itself checks that each way deletes exactly
// the due rows. The test checks that each result is reported.
func TestSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bench.json")
	o, err := parse([]string{"-rows", "4000", "-rounds", "1", "-policies", "20", "-schemas", "3", "-databases", "2",
		"-out", path})
	if err != nil {
		t.Fatal(err)
	}
	var table, progress bytes.Buffer
	err = run(t.Context(), o, &table, &progress)
	var missing *sandbox.MissingError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skipf("%s. %s", missing.What, missing.Hint)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	results := read(t, path)
	if diff := cmp.Diff(wanted(), names(results)); diff != "" {
		t.Errorf("results differ (-want +got):\n%s", diff)
	}
	for _, r := range results {
		without := slices.Contains([]string{"nothing", "drop", "tick", "small", "many", "each", "fleet"}, r.Bench) ||
			r.Way == "alone" || r.Way == "compute"
		if whole := r.Rows > 0 && r.RowsPerSecond != nil && r.WALBytesPerRow != nil &&
			r.RatioToLimit != nil; whole == without {
			t.Errorf("%s %s has rows, rate, WAL bytes and ratio: %t, want %t", r.Bench, r.Way, whole, !whole)
		}
	}
	if lines := strings.Count(table.String(), "\n"); lines != len(results)+4 {
		t.Errorf("the table has %d lines for %d results:\n%s", lines, len(results), &table)
	}
}

func read(t *testing.T, path string) []result {
	t.Helper()
	text := fixture.ReadFile(t, path)
	var results []result
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&results); err != nil {
		t.Fatal(err)
	}
	return results
}

func names(results []result) []string {
	var all []string
	for _, r := range results {
		all = append(all, r.Bench+" "+r.Way+with(r.Snapshot))
	}
	return all
}

func wanted() []string {
	held := " with a snapshot held"
	var all []string
	for _, snapshot := range []string{"", held} {
		for _, way := range []string{"delete", "range", "range_breaker", "ctid_any", "id_in"} {
			all = append(all, "age "+way+snapshot)
		}
	}
	for _, bench := range []string{"own_guard", "archive", "roll_up", "guard", "gin", "mark", "renew"} {
		all = append(all, bench+" statement", bench+" "+bench)
		if bench == "guard" {
			all = append(all, "guard_written two_statements", "guard_written guard")
		} else if bench == "gin" {
			all = append(all, "hold range", "hold held", "letter statement", "letter letter", "refused statement",
				"refused refused", "foreground alone", "foreground compute", "foreground delete", "foreground range",
				"foreground gently", "standby alone", "standby gently")
		}
	}
	all = append(all, "claim insert", "claim claim")
	return append(all,
		"cap delete", "cap cap", "cap delete"+held, "cap cap"+held, "cap_kept delete", "cap_kept cap_kept",
		"nothing delete_rank", "nothing cap",
		"nothing delete", "nothing range", "nothing range_new_session", "nothing own_guard",
		"nothing range"+held, "nothing range_an_hour_later"+held, "nothing delete"+held,
		"drop seven", "drop seven_of_500",
		"tick run_job_1", "tick run_if_due_1", "tick run_job_10", "tick run_if_due_10",
		"tick run_job_100", "tick run_if_due_100", "tick run_job_partitions", "tick run_if_due_partitions",
		"small run_100", "small loop_100", "small run_1000", "small loop_1000",
		"small run_10000", "small loop_10000", "small run_100000", "small loop_100000",
		"many lint", "many generate", "many plan new", "many plan", "many verify", "many report",
		"each migrate", "each first run", "each idle", "each verify",
		"fleet verify")
}

// TestMedian checks middle for an odd number of values, an even number, and none.
func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}, {[]float64{7}, 7}} {
		if got := middle(c.values); got == nil || *got != c.want {
			t.Errorf("middle(%v) = %v, want %v", c.values, got, c.want)
		}
	}
	if got := middle(nil); got != nil {
		t.Errorf("middle of nothing = %v, want nil", *got)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-rows", "3000"}, {"-rows", "0"}, {"-rounds", "0"}, {"-policies", "0"}, {"-schemas", "0"},
		{"-databases", "0"}, {"-only", "age,speed"}, {"-only", ""},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse accepts %q, want an error", args)
		}
	}
}
