package lint_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/lint"
	"pgretain/policy"
)

// TestManyPolicies checks that lint of 10,000 policies takes at most 20 s of processor time.
// Comparing each policy with each other one would take minutes.
func TestManyPolicies(t *testing.T) {
	t.Parallel()
	var policies, jobs strings.Builder
	snapshot := &catalog.Snapshot{Version: 1}
	for i := range 10_000 {
		if i%10 == 0 {
			snapshot.Tables = append(snapshot.Tables,
				&catalog.Table{Schema: "app", Name: fmt.Sprintf("t%d", i/10), Kind: "table", PrimaryKey: []string{"id"},
					Columns: []catalog.Column{{Name: "id", Type: "bigint", NotNull: true},
						{Name: "state", Type: "text"}, {Name: "at", Type: "timestamp with time zone", NotNull: true}}})
			fmt.Fprintf(&jobs, "  j%d: {schedule: \"%d %d * * *\", run: [", i, i%60, i%24)
		}
		fmt.Fprintf(&jobs, map[bool]string{false: "p%d, ", true: "p%d]}\n"}[i%10 == 9], i)
		fmt.Fprintf(&policies, "  p%d: {table: app.t%d, where: \"state = 's%d'\", due: {age: {column: at, "+
			"older_than: %d days}}, then: [delete]}\n", i, i/10, i, i%90+1)
	}
	before := processorTime(t)
	file, list := policy.Parse("policy.yaml", []byte("version: 1\npolicies:\n"+policies.String()+"jobs:\n"+
		jobs.String()))
	if file == nil || len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	if list := lint.Check(file, snapshot); len(list) > 0 {
		t.Errorf("%+v", list[0])
	}
	if took := processorTime(t) - before; took > 20*time.Second {
		t.Errorf("lint took %s of processor time, want at most 20 s", took)
	}
}

// processorTime returns the processor time of this test process. Unlike elapsed time, it does not
// depend on other processes.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
