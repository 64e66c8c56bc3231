package examples

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// expiresAt checks calculate_expires_at. It uses a community's settings for each kind, or the
// defaults of a new community.
func (e *example) expiresAt(t *testing.T) {
	e.fill(t, `INSERT INTO communities.communities SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid,
		'c' FROM generate_series(1, 3) n;
		INSERT INTO communities.settings (community_id, request_ttl_days, offer_ttl_days, message_ttl_days,
			notification_ttl_days) VALUES ('00000000-0000-0000-0000-000000000001', 1, 2, 3, 4);
		INSERT INTO communities.settings (community_id) VALUES ('00000000-0000-0000-0000-000000000002')`, instants[0])
	got := pgtest.Column[string](t, e.conn, withAsOf(`SELECT concat_ws(' ', right(c.id::text, 1), kind,
		communities.calculate_expires_at(c.id, kind, :as_of) - :as_of)
		FROM communities.communities c, unnest(ARRAY['request', 'offer', 'message', 'notification', 'karma'])
			WITH ORDINALITY k (kind, n) ORDER BY c.id, n`, instants[0]))
	want := []string{"1 request 1 day", "1 offer 2 days", "1 message 3 days", "1 notification 4 days", "1 karma"}
	for _, c := range []string{"2", "3"} { // community 2 has the columns' defaults, community 3 has no row
		want = append(want, c+" request 60 days", c+" offer 60 days", c+" message 90 days", c+" notification 30 days",
			c+" karma")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// activity checks that a finished exchange sets the last activity of its two users in that
// community, at the time of the exchange. Other actions do not set it, and nothing sets it back.
func (e *example) activity(t *testing.T) {
	e.fill(t, `INSERT INTO communities.communities SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid,
		'c' FROM generate_series(1, 2) n;
		INSERT INTO reputation.trust_scores (user_id, community_id, last_activity_at)
		SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, id, CASE WHEN n = 3
			THEN :as_of - interval '1 day' END FROM communities.communities, generate_series(1, 4) n;
		INSERT INTO reputation.activity_log (user_id, community_id, action, created_at)
		SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, '00000000-0000-0000-0000-000000000001', a,
			:as_of - d * interval '1 day'
		FROM (VALUES (1, 'complete_request', 5), (1, 'complete_request', 7), (2, 'complete_offer', 6),
			(3, 'complete_offer', 2), (4, 'login', 1)) v (n, a, d)`, instants[0])
	got := pgtest.Column[string](t, e.conn, withAsOf(`
		SELECT concat_ws(' ', right(community_id::text, 1), right(user_id::text, 1), :as_of - last_activity_at)
		FROM reputation.trust_scores ORDER BY community_id, user_id`, instants[0]))
	want := []string{"1 1 5 days", "1 2 6 days", "1 3 1 day", "1 4", "2 1", "2 2", "2 3 1 day", "2 4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// windows checks that there is one global row, however often the seed statement runs. It also
// checks the partial indexes on rows that are still to be marked or forgotten.
func (e *example) windows(t *testing.T) {
	const global = `SELECT concat_ws(' ', completed_request_window_days, expired_request_window_days,
		message_window_days) FROM requests.retention_config WHERE community_id IS NULL`
	e.fill(t, "", instants[0])
	_, seed, _ := strings.Cut(fixture.ReadFile(t, directory("mutual-aid"), "schema.sql"),
		"\nINSERT INTO requests.retention_config")
	seed, _, _ = strings.Cut(seed, ";")
	for range 2 {
		pgtest.Exec(t, e.conn, "INSERT INTO requests.retention_config"+seed)
		if diff := cmp.Diff([]string{"180 30 180"}, pgtest.Column[string](t, e.conn, global)); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := e.conn.Exec(t.Context(), `INSERT INTO requests.retention_config (message_window_days)
		VALUES (1)`); err == nil || !strings.Contains(err.Error(), "retention_config_global") {
		t.Errorf("a second global row: %v", err)
	}
	got := pgtest.Column[string](t, e.conn, `SELECT DISTINCT concat_ws(' ', indrelid::regclass,
		pg_get_indexdef(indexrelid, 1, true), pg_get_expr(indpred, indrelid, true))
		FROM pg_index WHERE indpred IS NOT NULL AND indrelid IN ('requests.help_requests'::regclass,
			'requests.help_offers'::regclass, 'messaging.messages'::regclass,
			'notifications.notifications'::regclass) ORDER BY 1`)
	want := []string{
		"messaging.messages created_at forgotten_at IS NULL",
		"messaging.messages expires_at NOT expired",
		"messaging.messages updated_at expired",
		"notifications.notifications expires_at NOT expired", "notifications.notifications updated_at expired",
		"requests.help_offers expires_at NOT expired", "requests.help_offers updated_at expired",
		"requests.help_requests completed_at status = 'completed'::text AND content_forgotten_at IS NULL",
		"requests.help_requests expires_at status = 'open'::text AND NOT expired",
		"requests.help_requests updated_at expired",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("partial indexes (-want +got):\n%s", diff)
	}
}
