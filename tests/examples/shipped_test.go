package examples

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
)

// TestExamplesGoUpAndDown: the migrations of every example install on its schema.sql, with rows in
// it, to the verifier's content, go down to what was there before, up again, and out without a trace.
func TestExamplesGoUpAndDown(t *testing.T) {
	t.Parallel()
	policies, err := filepath.Glob(directory("*/retention.yaml"))
	if err != nil || len(policies) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, policy := range policies {
		dir := filepath.Dir(policy)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			in := kit.ShippedFiles(t, dir)
			in.DB.Exec(t, fixture.ReadFile(t, dir, "data.sql"))
			for _, check := range generator.Checks(in.File, kit.Snapshot(t, dir)) { // as "migrate up" does
				in.DB.Exec(t, check.SQL)
			}
			before := kit.Catalog(t, in.DB, "retention")
			in.Up(t)
			installed := kit.Catalog(t, in.DB, "retention")
			if len(installed) <= len(before) {
				t.Fatal("nothing was installed")
			}
			in.WantConforms(t, in.Wanted(t, dir))
			in.DB.Exec(t, fixture.ReadFile(t, dir, "tamper.sql"))
			if report := in.Verify(t, "", in.Wanted(t, dir)); report.Count(diag.Drift) != 1 || report.Findings[0].Code != "V003" {
				t.Errorf("after tamper.sql the findings are %v", report.Findings)
			}
			if _, err := in.TryDown(t, true); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(before, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("down left something behind, or took too much (-before +after):\n%s", diff)
			}
			in.Up(t)
			if diff := cmp.Diff(installed, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("up again differs from up (-first +second):\n%s", diff)
			}
			if _, err := install.Uninstall(t.Context(), in.URL(kit.Migrator), in.Migrations, in.Options()); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(before, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("uninstall left something behind, or took too much (-before +after):\n%s", diff)
			}
		})
	}
}
