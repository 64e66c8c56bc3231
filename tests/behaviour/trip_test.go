package behaviour

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// trips lists changes after which a run of policy p trips. The field "by" is the expected reason.
// The field "hint" is a part of the hint of health(). The field "mend" is SQL that does what the
// hint says. If it is empty, the test executes the hint itself.
var trips = map[string]struct{ by, change, says, hint, mend string }{
	"too many rows": {"breaker", "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(10, 20) i",
		"the breaker allows",
		"pgretain accept p", "SELECT retention.accept('p', 'all old')"},
	"a column renamed": {"catalog", "ALTER TABLE m RENAME at TO moment", `column "at" of "public.m" is not there`,
		"correct the policy file", "ALTER TABLE m RENAME moment TO at"},
	"a table renamed": {"catalog", "ALTER TABLE m RENAME TO n", `table "public.m" is not there`,
		"correct the policy file", "ALTER TABLE n RENAME TO m"},
	"a column of a guard gone": {"catalog", "ALTER TABLE g RENAME id TO nr", `column "id" of "public.g" is not there`,
		"correct the policy file", "ALTER TABLE g RENAME nr TO id"},
	"a rule": {
		"catalog",
		"CREATE RULE r AS ON DELETE TO m DO ALSO NOTHING; CREATE RULE s AS ON DELETE TO m DO ALSO DELETE FROM g",
		`rule "s"`, "DROP RULE s ON public.m;", "DROP RULE s ON m",
	},
	"a right to create triggers": {"trust", "GRANT TRIGGER ON m TO pg_monitor", `role "pg_monitor" has TRIGGER`,
		"REVOKE TRIGGER ON public.m FROM pg_monitor;", "REVOKE TRIGGER ON m FROM pg_monitor"},
	"a held column of another type": {
		"hold",
		`SELECT retention.place_hold('m', '{"tag": "3"}', 'case'); ALTER TABLE m ALTER tag TYPE varchar(9)`,
		"hold 1", "SELECT retention.place_hold('public.m', match::text", "",
	},
	"a held column renamed": {
		"hold", `SELECT retention.place_hold('m', '{"tag": "3"}', 'case'); ALTER TABLE m RENAME tag TO mark`,
		"hold 1", `SELECT retention.place_hold('public.m', '{"mark": "3"}'`, "",
	},
	"a held table re-created": {
		"hold",
		`CREATE TABLE h (id int PRIMARY KEY);
			SELECT retention.place_hold('h', '3', 'case');
			SELECT retention.place_hold('m', '3', 'case');
			DROP TABLE h;
			CREATE TABLE h (id int PRIMARY KEY)`,
		"the present one of that name", "SELECT retention.place_hold('public.h', match::text", "",
	},
}

// TestTripHints checks each reason for which a run can trip. health(), verify and accept() have the
// same hint. The hint names accept() only after a trip by the breaker. After the user follows the
// hint, the next run ends "done".
func TestTripHints(t *testing.T) {
	t.Parallel()
	const policies = `policies: {p: {table: m, due: {age: {column: at, older_than: 1 day}},
      keep: {g: "EXISTS (SELECT FROM g WHERE g.id = t.id)"},
		breaker: {rows: 5}, then: [delete]}}
jobs: {j: {schedule: "0 3 * * *", run: [p]}}
install: {scheduler: none}`
	const schema = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, tag text);
		CREATE TABLE g (id int);
		INSERT INTO g VALUES (2);
		INSERT INTO m SELECT i, '2024-01-01', i FROM generate_series(1, 3) i`
	in := kit.Install(t, schema, policies)
	reasons := map[string]bool{}
	constraint := pgtest.Value[string](t, in,
		"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'run_tripped_by_check'")
	for _, reason := range regexp.MustCompile(`'(\w+)'::text`).FindAllStringSubmatch(constraint, -1) {
		reasons[reason[1]] = true
	}
	for _, c := range trips {
		delete(reasons, c.by)
	}
	// TestWrongUnits tests the reason "clock".
	if rest := slices.Collect(maps.Keys(reasons)); !gocmp.Equal(rest, []string{"clock"}) {
		t.Errorf("the reasons without a case are %v, want only clock", rest)
	}
	for name, c := range trips {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, policies)
			wanted, _ := in.Compile(t, policies)
			findings := 0
			in.Exec(t, c.change)
			o := in.Run("p", noon)
			by := pgtest.Value[string](t, in, "SELECT coalesce(tripped_by, '') FROM retention.run WHERE id = $1", o.ID)
			if o.State != "tripped" || by != c.by || !strings.Contains(o.Message, c.says) {
				t.Fatalf("the run ended %s by %q, want tripped by %q: %s", o.State, by, c.by, o.Message)
			}
			hint := pgtest.Value[string](t, in, `SELECT hint FROM retention.health()
				WHERE policy = 'p' AND severity = 'error'`)
			if !strings.Contains(hint, c.hint) || (c.by != "breaker") == strings.Contains(hint, "accept") {
				t.Errorf("the hint is %q, want it to contain %q, and accept only for the breaker", hint, c.hint)
			}
			for _, f := range in.Verify(t, "", wanted).Findings {
				if f.Code.String() == "V046" && f.Hint != hint {
					t.Errorf("the hints differ. verify:\n%s\nhealth():\n%s", f.Hint, hint)
				} else if f.Code.String() == "V046" || strings.HasSuffix(f.Detail,
					"This explains 1 further finding (V046).") {
					findings++
				}
			}
			if findings != 1 {
				t.Errorf("verify tells %d times that the run tripped, want 1", findings)
			}
			if n := pgtest.Value[int](t, in, `SELECT count(*) FROM retention.metrics
				WHERE name = 'retention_tripped' AND value = 1 AND labels ->> 'by' = $1`, c.by); n != 1 {
				t.Errorf("%d series say what it tripped by, want 1", n)
			}
			for _, rows := range []string{"", ", 3"} {
				err := in.Operator("SELECT retention.accept('p', 'all old'" + rows + ")")
				var refused *pgconn.PgError
				if errors.As(err, &refused) != (c.by != "breaker") || refused != nil &&
					(refused.Code != "55000" || refused.Hint != hint) {
					t.Errorf("accept() with the arguments%s: got %v, want the hint %s", rows, err, hint)
				}
			}
			in.Exec(t, cmp.Or(c.mend, hint))
			wantMended(t, in, wanted)
			in.Done("p", noon)
			kept := []string{"2"}
			if c.by == "hold" {
				kept = append(kept, "3")
			}
			if diff := gocmp.Diff(kept,
				pgtest.Column[string](t, in, "SELECT id::text FROM m ORDER BY id")); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// wantMended checks the reports after the cause of a trip or failure is removed. Verify and
// health() report the last run without severity error, and their hint is to run the policy again.
func wantMended(t *testing.T, in *kit.Installed, wanted []generator.Object) {
	t.Helper()
	const again = "CALL retention.run('p');"
	for _, f := range in.Verify(t, "", wanted).Findings {
		if f.Code.String() == "V046" && (f.Severity != verifier.Info || f.Hint != again ||
			!strings.Contains(f.Detail, "Nothing that can be seen stops the next run")) {
			t.Errorf("after the cause is removed, verify reports %s: %s (%s) %s", f.Severity, f.Message, f.Detail,
				f.Hint)
		}
	}
	got := pgtest.Column[string](t, in, `SELECT severity || ': ' || hint FROM retention.health()
		WHERE policy = 'p' AND problem ~ 'last run'`)
	if diff := gocmp.Diff([]string{"warning: The next run tries again. To run now: " + again}, got); diff != "" {
		t.Errorf("after the cause is removed, health() differs (-want +got):\n%s", diff)
	}
}

// TestFailedUntilMigrated checks that a failed run is no error any more once the policy was
// migrated.
func TestFailedUntilMigrated(t *testing.T) {
	t.Parallel()
	const policies = `policies: {p: {table: m, due: {age: {column: at, older_than: 1 day}}, where: "1 / n > 0",
      then: [delete]}}
jobs: {j: {schedule: "0 3 * * *", run: [p]}}
install: {scheduler: none}`
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, n int);
		INSERT INTO m VALUES (1, '2024-01-01', 0)`, policies)
	if o := in.Run("p", noon); o.State != "failed" {
		t.Fatalf("want a run with state failed; got %+v", o)
	}
	const errors = "SELECT count(*) FROM retention.health() WHERE policy = 'p' AND severity = 'error'"
	if n := pgtest.Value[int](t, in, errors); n != 1 {
		t.Errorf("health() has %d errors, want 1", n)
	}
	mended := strings.Replace(policies, "1 / n > 0", "n = 0", 1)
	in.Migrate(t, mended)
	wanted, _ := in.Compile(t, mended)
	wantMended(t, in, wanted)
	in.Done("p", noon)
}
