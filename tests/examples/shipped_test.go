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
	"pgretain/tests/pgtest"
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
			before := objects(t, in)
			in.Up(t)
			installed := objects(t, in)
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
			if diff := cmp.Diff(before, objects(t, in)); diff != "" {
				t.Errorf("down left something behind, or took too much (-before +after):\n%s", diff)
			}
			in.Up(t)
			if diff := cmp.Diff(installed, objects(t, in)); diff != "" {
				t.Errorf("up again differs from up (-first +second):\n%s", diff)
			}
			if _, err := install.Uninstall(t.Context(), in.URL(kit.Migrator), in.Migrations, in.Options()); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(before, objects(t, in)); diff != "" || pgtest.Value[bool](t, in, "SELECT to_regnamespace('retention') IS NOT NULL") {
				t.Errorf("uninstall left something behind, or took too much (-before +after):\n%s", diff)
			}
		})
	}
}

// objects are the columns, indexes, triggers and routines of the database, its jobs and who may do
// what with its tables.
func objects(t *testing.T, in *kit.Installed) []string {
	t.Helper()
	return pgtest.Column[string](t, in, `
		WITH relation AS (
			SELECT c.oid, c.relkind, c.relacl, format('%I.%I', n.nspname, c.relname) AS name
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'cron') AND c.relname !~ '^goose_db_version'
		)
		SELECT format('%s %s of %s', attname, format_type(atttypid, atttypmod), name)
		FROM pg_attribute a JOIN relation r ON r.oid = attrelid WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p', 'v')
		UNION ALL SELECT pg_get_indexdef(oid) FROM relation WHERE relkind IN ('i', 'I')
		UNION ALL SELECT format('trigger %s of %s', tgname, name) FROM pg_trigger JOIN relation r ON r.oid = tgrelid WHERE NOT tgisinternal
		UNION ALL SELECT format('%s may %s %s', a.grantee::regrole, a.privilege_type, name) FROM relation, aclexplode(relacl) a
		WHERE a.grantee <> 0 AND a.grantee <> a.grantor
		UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace::regnamespace::text !~ '^(pg_|information_schema|cron)'
		UNION ALL SELECT format('job %s at %s', jobname, schedule) FROM cron.job
		ORDER BY 1`)
}
