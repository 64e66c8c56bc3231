-- metrics returns numbers for a monitoring system, in the terms of Prometheus: a counter never
-- decreases, a gauge can. It reads the runtime's tables, and statistics about the application's
-- tables. It neither counts rows of the application's tables nor waits for a lock on them.
CREATE OR REPLACE VIEW retention.metrics AS
SELECT m.name, CASE WHEN m.name LIKE '%\_total' THEN 'counter' ELSE 'gauge' END AS type,
       pg_catalog.jsonb_build_object('policy', p.name, 'table', p.table_name, 'job', r.job,
           'scope', coalesce(t.scope, retention._scope_text(r.scope)))
           || CASE WHEN m.name = 'retention_tripped' AND r.last_tripped_by IS NOT NULL
                   THEN pg_catalog.jsonb_build_object('by', r.last_tripped_by) ELSE '{}' END AS labels, m.value, m.help
FROM retention.policy p
CROSS JOIN retention.install i
JOIN retention.job_status r ON r.policy = p.name
LEFT JOIN retention.job j ON j.name = r.job
LEFT JOIN retention.total t
    ON (t.policy, t.job, t.scope) = (p.name, r.job, CASE WHEN r.job <> '' THEN retention._scope_text(r.scope)
        ELSE '' END)
CROSS JOIN LATERAL (
    SELECT 'retention_rows_taken_total' AS name, NOT p.report AS given,
     coalesce(t.taken, 0)::float8 AS value, 'Rows or partitions taken.' AS help
    UNION ALL SELECT 'retention_rows_scanned_total'::text, NOT p.report, coalesce(t.scanned, 0),
     'Rows looked at by the policy.'::text
    UNION ALL SELECT 'retention_rows_refused_total'::text, NOT p.report, coalesce(t.refused, 0),
     'Rows that an error kept.'::text
    UNION ALL SELECT 'retention_runs_total'::text, true, coalesce(t.runs, 0), 'Runs of the policy.'::text
    UNION ALL SELECT 'retention_runs_failed_total'::text, true, coalesce(t.failed, 0), 'Runs that went wrong.'::text
    UNION ALL SELECT 'retention_rows_left'::text,
     NOT p.report AND r.rows_left IS NOT NULL AND NOT r.superseded, r.rows_left,
     'Rows due that the last run left, or at least so many.'::text
    UNION ALL SELECT 'retention_failed_in_a_row'::text, NOT r.superseded, r.failed_in_a_row,
     'Those since the last success.'::text
    UNION ALL SELECT 'retention_empty_in_a_row'::text, NOT p.report AND NOT r.superseded, r.empty_in_a_row,
     'Runs since the last success that left due rows and took none.'::text
    UNION ALL SELECT 'retention_missed'::text, NOT r.superseded, (r.missed_run IS NOT NULL)::integer,
     'Whether the last call could not begin, since the table was taken or locked.'::text
    UNION ALL SELECT 'retention_tripped'::text, NOT p.report AND NOT r.superseded,
     (coalesce(r.last_state, '') = 'tripped')::integer,
     'Whether the last run tripped; label "by" says by what: breaker, catalog, trust, hold or clock.'::text
    UNION ALL SELECT 'retention_running_seconds'::text, r.last_state = 'running',
     extract(epoch FROM pg_catalog.clock_timestamp() - r.last_started_at), 'Since when the policy is running.'::text
    UNION ALL SELECT 'retention_last_success_timestamp_seconds'::text,
     r.last_success_at IS NOT NULL AND NOT r.superseded,
     extract(epoch FROM r.last_success_at), 'When the policy last ran to its end or its budget.'::text
    UNION ALL SELECT 'retention_caught_up_timestamp_seconds'::text, NOT p.report AND NOT r.superseded,
     extract(epoch FROM greatest(r.caught_up_at, p.installed_at, j.installed_at, i.adopted_at)),
     'What was due then has all gone; until a first run ends so, when the policy was installed.'::text
    UNION ALL SELECT 'retention_interval_seconds'::text, j.every IS NOT NULL, extract(epoch FROM j.every),
     'The longest time between two ticks of the job.'::text
) m WHERE m.given
UNION ALL SELECT m.name, 'gauge', pg_catalog.jsonb_build_object('policy', p.name, 'table', p.table_name), m.value,
    m.help
FROM retention.policy p
LEFT JOIN LATERAL (SELECT min(x.set_at) AS set_at FROM retention.setting x
    WHERE x.policy IN (p.name, split_part(p.name, '@', 1), '*') AND x.name = 'paused') s ON true
CROSS JOIN LATERAL retention._window_set(p.*) w
CROSS JOIN LATERAL (
    SELECT 'retention_paused_timestamp_seconds' AS name, s.set_at IS NOT NULL AS given,
     extract(epoch FROM s.set_at)::float8 AS value, 'Since when the policy is paused.' AS help
    UNION ALL SELECT 'retention_window_seconds'::text, p.window_own IS NOT NULL,
     extract(epoch FROM coalesce(w.older_than, p.window_own)),
     'The window in force, where one can be set at run time; a month counts as 30 days.'::text
    UNION ALL SELECT 'retention_window_set'::text, p.window_own IS NOT NULL OR w.note IS NOT NULL,
     CASE WHEN w.note IS NOT NULL THEN -1 WHEN w.older_than IS NOT NULL THEN 1 ELSE 0 END,
     'Whether set_window() changed the window: 1 yes, 0 no, -1 it did, and its value does not hold.'::text
) m WHERE m.given
UNION ALL SELECT 'retention_idle_calls_total', 'counter', pg_catalog.jsonb_build_object('job', k.job), k.ticks,
       'Calls of the job that ran no policy, because no row was due.'
FROM retention.tick k JOIN retention.job j ON j.name = k.job
UNION ALL SELECT 'retention_rows_total', 'counter',
       pg_catalog.jsonb_build_object('policy', p.name, 'table', e.key, 'job', t.job, 'scope', t.scope, 'verb', e.verb),
       e.value::float8,
       'Rows or partitions, by verb: all that steps do with a table.'
FROM retention.policy p JOIN retention.total t ON t.policy = p.name
CROSS JOIN LATERAL (
    SELECT 'cascade' AS verb, c.key, c.value::numeric FROM pg_catalog.jsonb_each_text(t.cascaded) c
    UNION ALL SELECT (SELECT string_agg(DISTINCT s.verb, '+')
                      FROM pg_catalog.jsonb_to_recordset(p.steps) s (verb text, "table" text)
                      WHERE s."table" = r.key AND s.verb NOT IN ('note', 'drop table')), r.key, sum(r.value::bigint)
    FROM (SELECT x.key, x.value FROM pg_catalog.jsonb_each_text(t.related) x
          UNION ALL SELECT p.table_name, t.taken::text) r (key, value)
    GROUP BY r.key) e WHERE e.verb IS NOT NULL
UNION ALL SELECT 'retention_rows_kept', 'gauge',
       pg_catalog.jsonb_build_object('policy', s.policy, 'table', s.table_name, 'job', s.job,
           'scope', retention._scope_text(s.scope), 'guard', k.key),
       k.value::double precision, 'Rows past their window that the last run kept, by what kept them.'
FROM retention.job_status s CROSS JOIN LATERAL pg_catalog.jsonb_each_text(s.last_kept) k WHERE NOT s.superseded
UNION ALL SELECT m.name, 'gauge', pg_catalog.jsonb_build_object('report', p.name), m.value, m.help
FROM retention.policy p
CROSS JOIN LATERAL (SELECT x.rows, x.alerts FROM retention.report x WHERE x.name = p.name ORDER BY x.id DESC LIMIT 1) a
CROSS JOIN LATERAL (
    SELECT 'retention_report_rows' AS name, pg_catalog.jsonb_array_length(a.rows) AS value,
     'Rows of the report''s last answer.' AS help
    UNION ALL SELECT 'retention_report_alerts'::text, a.alerts, 'Rows of the report''s last answer that alert.'::text
) m WHERE p.report
UNION ALL SELECT 'retention_events_waiting', 'gauge', pg_catalog.jsonb_build_object('policy', e.policy), count(*),
       'Events that nobody has taken.' FROM retention.event e GROUP BY e.policy
UNION ALL SELECT m.name, 'gauge', pg_catalog.jsonb_build_object('table', h.table_name), m.value, m.help
FROM (SELECT x.table_name, count(*) AS holds, min(x.until) AS until FROM retention.hold x
      WHERE x.released_at IS NULL AND (x.until IS NULL OR x.until > pg_catalog.clock_timestamp()) GROUP BY 1) h
CROSS JOIN LATERAL (
    SELECT 'retention_holds' AS name, h.holds::double precision AS value, 'Holds in force on the table.' AS help
    UNION ALL SELECT 'retention_hold_until_timestamp_seconds'::text, extract(epoch FROM h.until),
     'When the first of them expires.'::text
) m WHERE m.value IS NOT NULL
UNION ALL SELECT m.name, 'gauge', m.labels, m.value, m.help
FROM (SELECT count(*) FILTER (WHERE h.severity = 'error') AS errors,
             count(*) FILTER (WHERE h.severity = 'warning') AS warnings
      FROM retention.health() h) h
CROSS JOIN retention._scheduler_state() s
CROSS JOIN LATERAL (
    SELECT 'retention_problems' AS name, '{"severity": "error"}'::jsonb AS labels, true AS given,
     h.errors AS value, 'What health() lists.' AS help
    UNION ALL SELECT 'retention_problems'::text, '{"severity": "warning"}'::jsonb, true, h.warnings,
     'What health() lists.'::text
    UNION ALL SELECT 'retention_scheduler_running'::text, '{}'::jsonb, s IN ('running', 'stopped'),
     (s = 'running')::integer,
     'Whether pg_cron''s scheduler runs; left out where that cannot be seen, or nothing needs one.'::text
) m WHERE m.given
UNION ALL SELECT 'retention_table_rows', 'gauge', pg_catalog.jsonb_build_object('table', x.table_name),
       retention._table_rows(x.table_name), 'Rows in the table, by its statistics.'
FROM (SELECT DISTINCT p.table_name FROM retention.policy p WHERE NOT p.report) x;
