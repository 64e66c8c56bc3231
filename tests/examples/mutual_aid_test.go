package examples

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

//go:embed testdata/mutual_aid.sql
var mutualAidRows string

// instants has the times of the runs. One is the last microsecond of 29 February.
var instants = []string{"2024-03-31 12:00:00+00", "2024-02-29 23:59:59.999999+00", "2025-01-01 00:00:00+00"}

// globals has the global windows at each of these times: complete, partly NULL, and missing.
var globals = map[string]string{
	instants[0]: "(NULL, 180, 30, 180)",
	instants[1]: "(NULL, 120, NULL, 100)",
	instants[2]: "",
}

func mutualAid(t *testing.T) *example {
	e := shipped(t, "mutual-aid")
	e.hide["cleanup.exported_rows"] = []string{"id", "run_id"}
	return e
}

// fillMutualAid fills all tables. The global windows depend on asOf.
func (e *example) fillMutualAid(t *testing.T, asOf string) {
	t.Helper()
	e.fill(t, mutualAidRows, asOf)
	if row := globals[asOf]; row != "" {
		pgtest.Exec(t, e.conn, `INSERT INTO requests.retention_config
			(community_id, completed_request_window_days, expired_request_window_days, message_window_days)
			VALUES `+row)
	}
}

// TestMutualAid runs each job of the document at several times and batch sizes.
func TestMutualAid(t *testing.T) {
	t.Parallel()
	e := mutualAid(t)
	e.atInstantsAndSizes(t, instants, func(t *testing.T, e *example, asOf string) {
		e.fillMutualAid(t, asOf)
		for _, c := range []struct {
			job   string
			steps []step
		}{ // no job comes before another job whose bounds it would change
			{"hard_delete", hardDelete}, {"memory", memory}, {"activity_log", activityLog},
			{"trust_edges", trustEdges}, {"mark_expired", markExpired}, {"dibs", dibs},
		} {
			for policy, taken := range e.job(t, c.job, asOf, c.steps) {
				if taken == 0 && policy != "trust_edges" {
					t.Errorf("nothing was due for %s", policy)
				}
			}
		}
		e.decay(t, asOf)
	})
	t.Run("one after the other", func(t *testing.T) { e.forSubtest(t).jobsOfAWeek(t) })
	t.Run("trust edges fade", func(t *testing.T) { e.forSubtest(t).trustEdgesFade(t) })
	t.Run("decay of all", func(t *testing.T) { e.forSubtest(t).decayOfAll(t) })
	t.Run("most is marked", func(t *testing.T) { e.forSubtest(t).markOfMost(t) })
	t.Run("karma halves", func(t *testing.T) { e.forSubtest(t).karmaHalves(t) })
	t.Run("a community's own schedule", func(t *testing.T) { e.forSubtest(t).ownSchedule(t) })
	t.Run("an exchange is forgotten whole", func(t *testing.T) { e.forSubtest(t).forgottenWhole(t) })
	t.Run("restore within the grace", func(t *testing.T) { e.forSubtest(t).restoredInGrace(t) })
	t.Run("one request comes back", func(t *testing.T) { e.forSubtest(t).oneRestored(t) })
	t.Run("no words are left", func(t *testing.T) { e.forSubtest(t).textsAreRemoved(t) })
	t.Run("expires_at", func(t *testing.T) { e.forSubtest(t).expiresAt(t) })
	t.Run("activity", func(t *testing.T) { e.forSubtest(t).activity(t) })
	t.Run("windows", func(t *testing.T) { e.forSubtest(t).windows(t) })
	t.Run("only what the policies name", func(t *testing.T) { e.forSubtest(t).onlyPolicyTables(t) })
	t.Run("reports", func(t *testing.T) { e.forSubtest(t).reports(t) })
	t.Run("health and metrics", func(t *testing.T) { e.forSubtest(t).healthAndMetrics(t) })
	t.Run("one instance at a time", func(t *testing.T) { e.forSubtest(t).oneInstance(t) })
}

// jobsOfAWeek runs the jobs in the order of their schedules on the same rows, first a day and then
// a week apart. Rows that are marked on the first day are deleted on the eighth day, and not
// before.
func (e *example) jobsOfAWeek(t *testing.T) {
	e.fillMutualAid(t, instants[0])
	for _, run := range []struct{ job, asOf string }{
		{"mark_expired", "2024-03-31 13:00:00+00"}, {"hard_delete", "2024-04-01 02:00:00+00"}, {"memory",
			"2024-04-01 03:30:00+00"},
		{"hard_delete", "2024-04-07 02:00:00+00"}, {"hard_delete", "2024-04-07 12:59:59.999999+00"}, {"hard_delete",
			"2024-04-07 13:00:00+00"},
		{"memory", "2024-04-30 13:00:00+00"}, {"memory", "2024-04-30 13:00:00.000001+00"}, {"hard_delete",
			"2024-05-08 02:00:00+00"},
	} {
		steps := map[string][]step{"mark_expired": markExpired, "hard_delete": hardDelete, "memory": memory}[run.job]
		e.job(t, run.job, run.asOf, steps)
	}
}

// trustEdgesFade checks edges around their threshold. The view uses the current time, so the edges
// are an hour before or after their threshold, or exactly on it if they do not fade.
func (e *example) trustEdgesFade(t *testing.T) {
	e.fill(t, `INSERT INTO social_graph.trust_edges (from_user, to_user, weight, half_life_days,
		last_interaction_at, disappearance_threshold)
		SELECT gen_random_uuid(), gen_random_uuid(), w, h, now() - make_interval(days => 10) + d, th
		FROM unnest(ARRAY[1, 0.5, 0.4]) w, unnest(ARRAY[10, 20, NULL]) h,
			unnest(ARRAY['-1 hour', '1 hour', '19 days']::interval[]) d,
		     unnest(ARRAY[0.5, 0.25, 1, NULL]) th`, instants[0])
	now := pgtest.Value[string](t, e.conn, "SELECT now()::text")
	_, taken := e.expectedAfter(t, now, trustEdges)
	// Counted by hand: 16 edges have a half-life of 10 days, 12 have one of 20 days, and 9 do not
	// fade.
	if taken["trust_edges"] != 37 {
		t.Fatalf("the oracle deletes %d edges", taken["trust_edges"])
	}
	e.job(t, "trust_edges", now, trustEdges)
}

// onlyPolicyTables checks that a user cannot clean up a table without a policy by its name, and
// that the worker has no privilege on it.
func (e *example) onlyPolicyTables(t *testing.T) {
	e.fillMutualAid(t, instants[0])
	before := e.content(t)
	for _, name := range []string{"communities.communities", "requests.help_requests; DROP TABLE requests.dibs",
		"karma_records", ""} {
		if _, err := e.Call("CALL retention.run($1)", name); err == nil || err.Code != "P0002" {
			t.Errorf("run(%q): %v", name, err)
		}
	}
	may := pgtest.Column[string](t, e.conn, `
		SELECT format('%s on %I.%I', p, n.nspname, c.relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE']) p
		WHERE c.relkind IN ('r', 'p') AND n.nspname IN ('communities', 'reputation', 'requests', 'messaging',
			'notifications', 'social_graph', 'cleanup')
		  AND has_table_privilege('retention_worker', c.oid, p) ORDER BY 1`)
	// The worker also needs UPDATE on tables whose rows it locks.
	var want []string
	for _, table := range []string{"cleanup.exported_rows", "messaging.messages", "notifications.notifications",
		"reputation.activity_log",
		"requests.help_offers", "requests.help_requests", "social_graph.trust_edges"} {
		want = append(want, "DELETE on "+table, "UPDATE on "+table)
	}
	want = sorted(append(want, "UPDATE on reputation.trust_scores", "UPDATE on requests.dibs",
		"UPDATE on requests.matches", "UPDATE on requests.request_communities"))
	if diff := cmp.Diff(want, may); diff != "" {
		t.Errorf("what the owner of the functions may change (-want +got):\n%s", diff)
	}
	for _, sql := range []string{"CALL retention.run_job('hard_delete')", "SELECT * FROM reputation.karma_records"} {
		e.refusedToStrangers(t, sql)
	}
	if err := e.Operator("DELETE FROM requests.help_offers"); err == nil ||
		!strings.Contains(err.Error(), "permission denied") {
		t.Errorf("an operator deletes by hand: %v", err)
	}
	if diff := cmp.Diff(before, e.content(t)); diff != "" {
		t.Errorf("rows changed:\n%s", diff)
	}
}

// refusedToStrangers checks that the server refuses a statement of a role without privileges.
func (e *example) refusedToStrangers(t *testing.T, sql string) {
	t.Helper()
	e.DB.Exec(t, pgtest.MakeRole("example_stranger LOGIN"))
	conn := e.Conn(t, "example_stranger")
	if _, err := conn.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a stranger may %s: %v", sql, err)
	}
}
