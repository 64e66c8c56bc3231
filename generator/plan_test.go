package generator

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// TestPlansStay checks that rendering does not change a plan. It compares plans that were rendered
// with plans that were not. What plans are made of is the same for both, so pointers are compared.
func TestPlansStay(t *testing.T) {
	t.Parallel()
	options := cmp.Options{
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(func(a, b project) bool { return a.file == b.file }),
		cmp.Comparer(func(a, b *policy.Policy) bool { return a.Name == b.Name }), // "each" copies it
		cmp.Comparer(func(a, b *policy.Clock) bool { return a == b }),
		cmp.Comparer(func(a, b *policy.Rank) bool { return a == b }),
		cmp.Comparer(func(a, b *catalog.Table) bool { return a.String() == b.String() }),
		cmp.Comparer(func(a, b *pgparse.Expr) bool { return a == b }),
	}
	plans := 0
	for _, c := range cases(t, "golden", 24) {
		file, _ := parseCase(t, c)
		if file == nil {
			continue
		}
		snapshot := snapshotOf(t, c)
		used, fresh := newCompiler(file, snapshot, nil), newCompiler(file, snapshot, nil)
		policies, reports := used.plan()
		once := used.rendered(policies)
		again := used.rendered(policies)
		for _, r := range reports {
			r.objects()
		}
		unused, unusedReports := fresh.plan()
		before, after := []any{unused, unusedReports}, []any{policies, reports}
		if !cmp.Equal(before, after, options) {
			t.Errorf("%s: rendering changed a plan (-before +after):\n%s", c.Name, cmp.Diff(before, after, options))
		}
		for i := range once {
			if once[i].SQL != again[i].SQL {
				t.Errorf("%s: %s %s differs when rendered again", c.Name, once[i].Kind, once[i].Name)
			}
		}
		plans += len(policies) + len(reports)
	}
	if plans < 50 {
		t.Errorf("got %d plans, want at least 50", plans)
	}
}
