package examples

// The variables have the statements of the document for each job, as plain SQL on the real tables.
// Tests roll them back before the job runs.
var (
	markExpired = []step{
		{"requests_expire", []string{`UPDATE requests.help_requests SET expired = TRUE, updated_at = :as_of
			WHERE expires_at <= :as_of AND expired = FALSE AND status = 'open'`}},
		{"offers_expire", []string{`UPDATE requests.help_offers SET expired = TRUE, updated_at = :as_of
			WHERE expires_at <= :as_of AND expired = FALSE`}},
		{"messages_expire", []string{`UPDATE messaging.messages SET expired = TRUE, updated_at = :as_of
			WHERE expires_at <= :as_of AND expired = FALSE`}},
		{"notifications_expire", []string{`UPDATE notifications.notifications SET expired = TRUE, updated_at = :as_of
			WHERE expires_at <= :as_of AND expired = FALSE`}},
	}

	// The document mentions the export as future work.
	hardDelete = []step{
		{"offers_destroy", []string{exported("requests.help_offers", "to_jsonb(g.*)",
			"DELETE FROM requests.help_offers WHERE expired = TRUE AND updated_at <= (:as_of - interval '7 days')")}},
		{"messages_destroy", []string{exported("messaging.messages", "to_jsonb(g.*) - 'content'",
			"DELETE FROM messaging.messages WHERE expired = TRUE AND updated_at <= (:as_of - interval '7 days')")}},
		{"notifications_destroy", []string{exported("notifications.notifications", "to_jsonb(g.*)",
			`DELETE FROM notifications.notifications WHERE expired = TRUE
				AND updated_at <= (:as_of - interval '7 days')`)}},
		{"exports_expire",
			[]string{"DELETE FROM cleanup.exported_rows WHERE exported_at < :as_of - interval '30 days'"}},
	}

	activityLog = []step{
		{"activity_log",
			[]string{"DELETE FROM reputation.activity_log WHERE created_at < :as_of - interval '90 days'"}},
	}

	// The exchange is one statement, as in the document. A request waits at least a week after it
	// was marked.
	memory = []step{
		{"exchange_forgotten", []string{`
			WITH forgotten AS (
				UPDATE requests.help_requests r
				SET title = '[forgotten]', description = '[forgotten]', payload = '{}', requirements = '{}',
					content_forgotten_at = :as_of
				WHERE status = 'completed' AND content_forgotten_at IS NULL
				  AND completed_at < :as_of - make_interval(days => ` + effective("completed_request_window_days",
			"180") + `)
				RETURNING r.id
			), messages AS (
				UPDATE messaging.messages m SET content = '[forgotten]', forgotten_at = :as_of
				FROM forgotten f JOIN requests.matches x ON x.request_id = f.id
				     JOIN messaging.conversations c ON c.request_match_id = x.id
				WHERE m.conversation_id = c.id AND m.forgotten_at IS NULL
			)
			SELECT id FROM forgotten`}},
		// The document says only that these requests expired. No text may outlive the window of
		// expired requests.
		{"unfinished_forgotten", []string{`
			WITH forgotten AS (
				UPDATE requests.help_requests r
				SET title = '[forgotten]', description = '[forgotten]', payload = '{}', requirements = '{}',
					content_forgotten_at = :as_of
				WHERE expired = TRUE AND status <> 'completed' AND content_forgotten_at IS NULL
				  AND EXISTS (SELECT FROM requests.matches m WHERE m.request_id = r.id)
				  AND updated_at < :as_of - make_interval(
					days => greatest(7, ` + effective("expired_request_window_days", "30") + `))
				RETURNING r.id
			), messages AS (
				UPDATE messaging.messages m SET content = '[forgotten]', forgotten_at = :as_of
				FROM forgotten f JOIN requests.matches x ON x.request_id = f.id
				     JOIN messaging.conversations c ON c.request_match_id = x.id
				WHERE m.conversation_id = c.id AND m.forgotten_at IS NULL
			)
			SELECT id FROM forgotten`}},
		{"requests_destroy", []string{exported("requests.help_requests",
			"to_jsonb(g.*) - '{title,description,payload,requirements}'::text[]", `
			DELETE FROM requests.help_requests r WHERE expired = TRUE
			  AND NOT EXISTS (SELECT FROM requests.matches m WHERE m.request_id = r.id)
			  AND updated_at < :as_of - make_interval(days => greatest(7, `+effective("expired_request_window_days",
				"30")+`))`)}},
		{"messages_forgotten", []string{`
			UPDATE messaging.messages SET content = '[forgotten]', forgotten_at = :as_of
			WHERE forgotten_at IS NULL
				AND created_at < :as_of - make_interval(days => ` + global("message_window_days", "180") + `)`}},
	}

	dibs = []step{
		{"dibs_expire", []string{`
			WITH gone AS (
				UPDATE requests.dibs SET status = 'expired' WHERE status = 'pending' AND expires_at < :as_of RETURNING *
			), reset AS (
				UPDATE requests.help_requests r SET status = 'open'
				WHERE id IN (SELECT request_id FROM gone) AND r.status NOT IN ('completed', 'cancelled')
			)
			INSERT INTO retention.event (run_id, policy, event, payload)
			SELECT 0, 'dibs_expire', 'dibs_expired', jsonb_build_object('dibs_id', id, 'request_id',
				request_id, 'user_id', user_id) FROM gone`}},
	}

	trustEdges = []step{
		{"trust_edges", []string{`DELETE FROM social_graph.trust_edges WHERE id IN (
			SELECT id FROM social_graph.trust_edges_live WHERE current_weight < disappearance_threshold)`}},
	}
)

// exported returns a statement that deletes rows and inserts them into cleanup.exported_rows.
func exported(table, record, statement string) string {
	return `WITH g AS (` + statement + ` RETURNING *)
		INSERT INTO cleanup.exported_rows (table_name, key, record, exported_at, run_id)
		SELECT '` + table + `', id::text, ` + record + `, :as_of, 0 FROM g`
}

// global returns SQL for a window in the global row. The value of the SQL is fallback if the global
// row does not exist, or if its window is NULL.
func global(column, fallback string) string {
	return "coalesce((SELECT c." + column +
		" FROM requests.retention_config c WHERE c.community_id IS NULL), " + fallback + ")"
}

// effective returns SQL for the longest window of a request's communities. A community without its
// own window has the global window, and so has a request without a community.
func effective(column, fallback string) string {
	return `coalesce((SELECT max(coalesce(o.` + column + `, ` + global(column, fallback) + `))
		FROM requests.request_communities rc LEFT JOIN requests.retention_config o ON o.community_id = rc.community_id
		WHERE rc.request_id = r.id), ` + global(column, fallback) + `)`
}
