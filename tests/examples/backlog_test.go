package examples

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// botQueue has the two statements of the document, in order. For equal timestamps, a higher id is
// newer; the document leaves this open. A message without a timestamp does not count toward a bot's
// 1,000 messages. In the document's query it is the newest.
var botQueue = []step{
	{"enqueued_messages_ttl", []string{`DELETE FROM public.enqueued_messages
		WHERE created_at < (:as_of AT TIME ZONE 'UTC') - interval '7 days'`}},
	{"enqueued_messages_cap", []string{`DELETE FROM public.enqueued_messages WHERE ctid IN (
		SELECT ctid FROM (SELECT ctid, ROW_NUMBER() OVER (PARTITION BY device_key ORDER BY created_at DESC,
			id DESC) AS rn
			FROM public.enqueued_messages WHERE created_at IS NOT NULL) ranked WHERE rn > 1000)`}},
}

// TestBotQueue checks messages on and around the bounds of 7 days and 1,000 messages. Some have
// equal timestamps, some have none.
func TestBotQueue(t *testing.T) {
	t.Parallel()
	e := shipped(t, "bot-queue")
	e.atInstantsAndSizes(t, instants, func(t *testing.T, e *example, asOf string) {
		e.fill(t, `
			INSERT INTO public.bots SELECT 'bot ' || b, 'bot' FROM generate_series(1, 6) b;
			INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
			SELECT 'bot ' || b, 's', '', (:as_of AT TIME ZONE 'UTC') - CASE WHEN n <= 30
				THEN interval '7 days' + (n % 3 - 1) * interval '1 us'
				WHEN n > 33 THEN n / 100 * interval '1 hour' END
			FROM generate_series(1, 6) b, generate_series(1, (ARRAY[0, 40, 1022, 1023, 1024, 1100])[b]) n`, asOf)
		e.job(t, "enqueued_messages", asOf, botQueue)
	})
}

// TestBotQueueUpgrade checks the column and the indexes that the migration adds. Existing messages
// get the time of the migration, new messages their own time.
func TestBotQueueUpgrade(t *testing.T) {
	t.Parallel()
	e := beforeMigrations(t, "bot-queue")
	pgtest.Exec(t, e.conn, fixture.ReadFile(t, directory("bot-queue"), "data.sql"))
	start := pgtest.Value[time.Time](t, e.conn, "SELECT clock_timestamp()")
	e.Up(t)
	pgtest.Exec(t, e.conn, `INSERT INTO public.enqueued_messages (device_key, session_id, message)
		SELECT device_key, 's', '' FROM public.bots LIMIT 1`)
	got := pgtest.Column[string](t, e.conn, `
		SELECT format_type(atttypid, atttypmod) FROM pg_attribute
			WHERE attrelid = 'public.enqueued_messages'::regclass AND attname = 'created_at'
		UNION ALL SELECT * FROM (SELECT count(*) || ' since' FROM public.enqueued_messages
			WHERE created_at AT TIME ZONE 'UTC' BETWEEN $1 AND clock_timestamp() GROUP BY created_at
				ORDER BY created_at) x
		UNION ALL SELECT * FROM (SELECT substring(indexdef FROM '\(.*') FROM pg_indexes
			WHERE tablename = 'enqueued_messages' ORDER BY 1) x`, start)
	want := []string{"timestamp without time zone", "20000 since", "1 since", "(created_at, id)",
		"(device_key, created_at DESC, id DESC)", "(id)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("column, messages and indexes (-want +got):\n%s", diff)
	}
}

// TestBotQueueOfABacklog checks a queue that is nearly all for offline bots. The messages are due
// by number or by age.
func TestBotQueueOfABacklog(t *testing.T) {
	t.Parallel()
	e := shipped(t, "bot-queue")
	for name, c := range map[string]struct {
		age         string
		first, then int64
	}{"by number": {"n * interval '10 s'", 0, 29_000}, "by age": {"interval '8 days'", 30_000, 0}} {
		t.Run(name, func(t *testing.T) {
			own := e.forSubtest(t)
			own.fill(t, `
				INSERT INTO public.bots SELECT 'bot ' || b, 'bot' FROM generate_series(1, 5) b;
				INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
				SELECT 'bot 1', 's', '', (:as_of AT TIME ZONE 'UTC') - `+c.age+` FROM generate_series(1, 30000) n;
				INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
				SELECT 'bot ' || 2 + n % 4, 's', '', (:as_of AT TIME ZONE 'UTC') - interval '1 hour'
					FROM generate_series(1, 3000) n;
				ANALYZE public.enqueued_messages`, instants[0])
			taken := own.job(t, "enqueued_messages", instants[0], botQueue)
			if taken["enqueued_messages_ttl"] != c.first || taken["enqueued_messages_cap"] != c.then {
				t.Errorf("the plan takes %v", taken)
			}
		})
	}
}

// decayOfAll checks the decay of 12,000 scores, nearly all of which change every night.
func (e *example) decayOfAll(t *testing.T) {
	asOf := instants[0]
	e.fill(t, `
		INSERT INTO communities.communities VALUES ('00000000-0000-0000-0000-000000000001', 'a');
		INSERT INTO reputation.karma_records (user_id, community_id, points, reason, created_at)
		SELECT u, '00000000-0000-0000-0000-000000000001', 100, 'helped', :as_of - interval '3 days'
		FROM (SELECT ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid AS u
			FROM generate_series(1, 12000) n) x;
		INSERT INTO reputation.trust_scores (user_id, community_id, score) SELECT user_id, community_id, points
			FROM reputation.karma_records;
		ANALYZE reputation.karma_records, reputation.trust_scores`, asOf)
	at := pgtest.Value[time.Time](t, e.conn, "SELECT $1::timestamptz", asOf)
	for night := range 3 {
		e.clearLog(t)
		m, instant := e.model(t), at.AddDate(0, 0, night)
		e.runJob(t, "decay", instant.Format(time.RFC3339Nano))
		if o := e.Last("karma_decay"); o.State != "done" || o.Taken != 12_000 {
			t.Errorf("night %d: %+v", night, o)
		}
		e.wantScores(t, m, instant, func(member) bool { return true })
	}
}

// markOfMost checks a first run that marks 9,000 of 16,000 rows in each table, and all dibs.
func (e *example) markOfMost(t *testing.T) {
	e.fill(t, `
		INSERT INTO communities.communities VALUES ('00000000-0000-0000-0000-000000000001', 'a');
		INSERT INTO requests.help_requests (requester_id, title, expires_at)
		SELECT gen_random_uuid(), 'request', :as_of + x FROM unnest(ARRAY['-1 day', '1 day']::interval[],
			ARRAY[9000, 7000]) u (x, n), generate_series(1, n);
		INSERT INTO requests.help_offers (community_id, offerer_id, title, expires_at)
		SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), title, expires_at FROM requests.help_requests;
		INSERT INTO messaging.conversations DEFAULT VALUES;
		INSERT INTO messaging.messages (conversation_id, sender_id, content, expires_at)
		SELECT (SELECT id FROM messaging.conversations), requester_id, title, expires_at FROM requests.help_requests;
		INSERT INTO notifications.notifications (user_id, body, expires_at) SELECT requester_id, title,
			expires_at FROM requests.help_requests;
		INSERT INTO requests.dibs (request_id, user_id, expires_at)
		SELECT id, requester_id, :as_of - interval '1 hour' FROM requests.help_requests WHERE expires_at > :as_of;
		INSERT INTO requests.dibs (request_id, user_id, expires_at) SELECT request_id, user_id, expires_at
			FROM requests.dibs;
		ANALYZE`, instants[0])
	for policy, taken := range e.job(t, "mark_expired", instants[0], markExpired) {
		if taken != 9000 {
			t.Errorf("%s: the document marks %d", policy, taken)
		}
	}
	e.job(t, "dibs", instants[0], dibs)
}

// TestBotQueueMetrics checks that the gauge has the number of rows, and that the counters have the
// rows taken by age and by number. A failed run is in the log and does not count. The policy by
// number runs although the policy by age failed.
func TestBotQueueMetrics(t *testing.T) {
	t.Parallel()
	e := shipped(t, "bot-queue")
	e.skipPreview = true
	// The gauge uses statistics, which a session reports shortly after its transaction. The server
	// does not count below zero, so inserts must be reported before deletes.
	reported := func(conn *pgx.Conn) { pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()") }
	metrics := func(want ...string) {
		t.Helper()
		reported(e.Runner())
		got := pgtest.Column[string](t, e.conn, `
			SELECT coalesce(labels ->> 'policy', labels ->> 'table') || ' ' || value FROM retention.metrics
			WHERE name = 'retention_rows_taken_total' AND labels ->> 'policy' ~ '^enqueued'
			   OR name = 'retention_table_rows' AND labels ->> 'table' = 'public.enqueued_messages' ORDER BY 1`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("metrics (-want +got):\n%s", diff)
		}
	}
	queue := `INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
		SELECT 'bot', 's', '', (:as_of AT TIME ZONE 'UTC') - n * interval '9 min' FROM generate_series(1, `
	e.fill(t, "INSERT INTO public.bots VALUES ('bot', 'bot'); "+queue+"1200) n", instants[0])
	reported(e.conn)
	e.runJob(t, "enqueued_messages", instants[0])
	metrics("enqueued_messages_cap 120", "enqueued_messages_ttl 80", "public.enqueued_messages 1000")
	pgtest.Exec(t, e.conn, withAsOf(queue+"300) n", instants[0]))
	reported(e.conn)
	e.DB.Exec(t, "ALTER FUNCTION retention.enqueued_messages_ttl_rows RENAME TO away")
	_, err := e.Call("CALL retention.run_job('enqueued_messages', $1)", instants[0])
	if message := pgtest.Value[string](t, e.conn, `SELECT message FROM retention.run
		WHERE policy = 'enqueued_messages_ttl' AND state <> 'done'`); err == nil || message == "" {
		t.Errorf("the failure is not in the log: %v", err)
	}
	metrics("enqueued_messages_cap 420", "enqueued_messages_ttl 80", "public.enqueued_messages 1000")
}
