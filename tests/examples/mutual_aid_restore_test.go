package examples

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// restore calls retention.restore as an operator for the last run of a policy. It returns the
// numbers of restored and refused rows.
func (e *example) restore(t *testing.T, policy string) string {
	t.Helper()
	if err := e.Operator(fmt.Sprintf("SELECT * FROM retention.restore('%s', %d)", policy,
		e.Last(policy).ID)); err != nil {
		t.Fatal(err)
	}
	return pgtest.Value[string](t, e.conn,
		"SELECT restored || ' ' || refused FROM retention.restored ORDER BY id DESC LIMIT 1")
}

// restoredInGrace checks that restore removes marks. A restored row is held, so no run marks or
// deletes it. Restore leaves rows that somebody changed after the run.
func (e *example) restoredInGrace(t *testing.T) {
	asOf := instants[0]
	for _, rows := range []int{3, 1000} {
		e.SetBatch(rows)
		e.fillMutualAid(t, asOf)
		var marked []step // an undone mark still leaves a new updated_at
		for _, s := range markExpired {
			marked = append(marked, step{s.policy, []string{strings.Replace(s.sql[0], "expired = TRUE, ", "", 1)}})
		}
		want, taken := e.expectedAfter(t, asOf, marked)
		e.runJob(t, "mark_expired", asOf)
		e.refusedToStrangers(t, fmt.Sprintf("SELECT retention.restore('offers_expire', %d)",
			e.Last("offers_expire").ID))
		for _, s := range marked {
			if got := e.restore(t, s.policy); got != fmt.Sprint(taken[s.policy], " 0") {
				t.Errorf("%s: restored and refused %s of %d", s.policy, got, taken[s.policy])
			}
		}
		if diff := cmp.Diff(want, e.content(t)); diff != "" {
			t.Errorf("rows differ after restore (-want +got):\n%s", diff)
		}
		if e.runJob(t, "mark_expired", asOf); cmp.Diff(want, e.content(t)) != "" {
			t.Error("what is held was marked again")
		}
		// Eight days later the held rows exist, and the rows marked earlier are deleted.
		later := "2024-04-08 12:00:00+00"
		e.job(t, "hard_delete", later, hardDelete)
	}
	e.restoredUnlessChanged(t, asOf)
	e.restoredAfterDeletion(t, asOf)
}

func (e *example) restoredUnlessChanged(t *testing.T, asOf string) {
	e.fillMutualAid(t, asOf)
	e.runJob(t, "mark_expired", asOf)
	marked := e.Last("offers_expire").Taken
	pgtest.Exec(t, e.conn, `
		UPDATE requests.help_offers SET title = 'better', updated_at = updated_at + interval '1 minute'
		WHERE id = (SELECT key[1]::uuid FROM retention.undo WHERE policy = 'offers_expire' ORDER BY key LIMIT 1)`)
	if got := e.restore(t, "offers_expire"); got != fmt.Sprint(marked-1, " 1") {
		t.Errorf("restored and refused %s of %d, want all but the one that was changed", got, marked)
	}
	if n := pgtest.Value[int](t, e.conn, `SELECT count(*) FROM requests.help_offers WHERE title = 'better'
		AND expired`); n != 1 {
		t.Error("the offer that was changed is not as it was left")
	}
}

// restoredAfterDeletion checks that restore brings exported rows back. Exported messages lack their
// text, so restore refuses them.
func (e *example) restoredAfterDeletion(t *testing.T, asOf string) {
	e.fillMutualAid(t, asOf)
	before := e.content(t)
	e.runJob(t, "hard_delete", asOf)
	for _, policy := range []string{"offers_destroy", "notifications_destroy"} {
		if got, want := e.restore(t, policy), fmt.Sprint(e.Last(policy).Taken, " 0"); got != want {
			t.Errorf("%s: restored and refused %s, want %s", policy, got, want)
		}
	}
	now := e.content(t)
	for _, table := range []string{"requests.help_offers", "notifications.notifications"} {
		if diff := cmp.Diff(before[table], now[table]); diff != "" {
			t.Errorf("%s differs (-before +restored):\n%s", table, diff)
		}
	}
	exported := pgtest.Column[string](t, e.conn,
		"SELECT DISTINCT table_name FROM cleanup.exported_rows WHERE run_id > 0")
	if diff := cmp.Diff([]string{"messaging.messages"}, exported); diff != "" {
		t.Errorf("what is still exported (-want +got):\n%s", diff)
	}
	err := e.Operator(fmt.Sprintf("SELECT retention.restore('messages_destroy', %d)", e.Last("messages_destroy").ID))
	if err == nil || !strings.Contains(err.Error(), "0A000") {
		t.Errorf("messages without words came back: %v", err)
	}
	e.runJob(t, "hard_delete", asOf)
	if diff := cmp.Diff(now, e.content(t)); diff != "" {
		t.Errorf("what is held was deleted again:\n%s", diff)
	}
}

// oneRestored checks that restore with match brings back one request with its communities and dibs.
// All other requests stay marked.
func (e *example) oneRestored(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	const mine = "00000000-0000-0000-0000-00000000abcd"
	pgtest.Exec(t, e.conn, withAsOf(`
		INSERT INTO requests.help_requests (id, requester_id, title, expires_at)
			VALUES ('`+mine+`', gen_random_uuid(), 'mine', :as_of - interval '1 hour');
		INSERT INTO requests.request_communities SELECT '`+mine+`', id FROM communities.communities;
		INSERT INTO requests.dibs (request_id, user_id, status, expires_at)
			SELECT '`+mine+`', gen_random_uuid(), s, :as_of + interval '1 year'
			FROM unnest(ARRAY['pending', 'confirmed']) s`, asOf))
	request := func() []string {
		return pgtest.Column[string](t, e.conn, `SELECT (to_jsonb(r) - 'updated_at' || jsonb_build_object(
			'communities', (SELECT jsonb_agg(c ORDER BY c.community_id)
				FROM requests.request_communities c WHERE c.request_id = r.id),
			'dibs', (SELECT jsonb_agg(d ORDER BY d.id) FROM requests.dibs d WHERE d.request_id = r.id)))::text
				FROM requests.help_requests r WHERE r.id = $1::uuid`, mine)
	}
	const others = "SELECT id || ' ' || expired FROM requests.help_requests WHERE title <> 'mine' ORDER BY 1"
	before := request()
	e.runJob(t, "mark_expired", asOf)
	marked := pgtest.Column[string](t, e.conn, others)
	call := fmt.Sprintf("SELECT * FROM retention.restore('requests_expire', %d, match => '%s')",
		e.Last("requests_expire").ID, mine)
	e.refusedToStrangers(t, call)
	if err := e.Operator(call); err != nil {
		t.Fatal(err)
	}
	if got := pgtest.Value[string](t, e.conn,
		"SELECT restored || ' ' || refused FROM retention.restored ORDER BY id DESC LIMIT 1"); got != "1 0" {
		t.Errorf("restored and refused %s", got)
	}
	if diff := cmp.Diff(marked, pgtest.Column[string](t, e.conn, others)); diff != "" {
		t.Errorf("others came back as well:\n%s", diff)
	}
	for _, job := range []string{"mark_expired", "hard_delete", "memory"} {
		e.runJob(t, job, "2025-06-01 00:00:00+00") // the restored request is held
		if diff := cmp.Diff(before, request()); diff != "" || len(before) != 1 {
			t.Errorf("after %s it differs (-before +after):\n%s", job, diff)
		}
	}
}
