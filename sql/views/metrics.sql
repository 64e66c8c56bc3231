-- Numbers for a monitoring system, in the terms of Prometheus: counters never go back, gauges do.
CREATE OR REPLACE VIEW retention.metrics AS
SELECT m.name, m.type, pg_catalog.jsonb_build_object('policy', p.name, 'table', p.table_name) AS labels, m.value, m.help
FROM retention.policy p
LEFT JOIN retention.total t ON t.policy = p.name
CROSS JOIN LATERAL retention._window_set(p.*) w
CROSS JOIN LATERAL (VALUES
    ('retention_rows_taken_total', 'counter', NOT p.report, coalesce(t.taken, 0)::double precision,
     'Rows deleted, changed or read by the policy, or partitions.'),
    ('retention_rows_scanned_total', 'counter', NOT p.report, coalesce(t.scanned, 0), 'Rows looked at by the policy.'),
    ('retention_rows_cascaded_total', 'counter', NOT p.report, coalesce(t.cascaded, 0),
     'Rows deleted or changed through foreign keys by the policy.'),
    ('retention_rows_refused_total', 'counter', NOT p.report, coalesce(t.refused, 0),
     'Rows that a constraint or trigger did not let go.'),
    ('retention_runs_total', 'counter', true, coalesce(t.runs, 0), 'Runs of the policy.'),
    ('retention_runs_failed_total', 'counter', true, coalesce(t.failed, 0),
     'Runs that failed, tripped or were abandoned.'),
    ('retention_last_success_timestamp_seconds', 'gauge', t.last_success_at IS NOT NULL,
     extract(epoch FROM t.last_success_at), 'When the policy last ran to its end or its budget.'),
    ('retention_window_seconds', 'gauge', p.window_own IS NOT NULL,
     extract(epoch FROM coalesce(w.older_than, p.window_own)),
     'The window in force, where one can be set at run time; a month counts as 30 days.'),
    ('retention_window_set', 'gauge', p.window_own IS NOT NULL OR w.note IS NOT NULL,
     CASE WHEN w.note IS NOT NULL THEN -1 WHEN w.older_than IS NOT NULL THEN 1 ELSE 0 END,
     'Whether set_window() changed the window: 1 yes, 0 no, -1 it did, and its value does not hold.')
) m (name, type, given, value, help)
WHERE m.given
UNION ALL SELECT m.name, 'gauge', pg_catalog.jsonb_build_object('report', p.name), m.value, m.help
FROM retention.policy p
CROSS JOIN LATERAL (SELECT x.rows, x.alerts FROM retention.report x WHERE x.name = p.name ORDER BY x.id DESC LIMIT 1) a
CROSS JOIN LATERAL (VALUES
    ('retention_report_rows', pg_catalog.jsonb_array_length(a.rows), 'Rows of the report''s last answer.'),
    ('retention_report_alerts', a.alerts, 'Rows of the report''s last answer that alert.')
) m (name, value, help) WHERE p.report
UNION ALL SELECT 'retention_events_waiting', 'gauge', pg_catalog.jsonb_build_object('policy', e.policy), count(*),
       'Events that nobody has taken.'
FROM retention.event e GROUP BY e.policy
UNION ALL SELECT 'retention_table_rows', 'gauge', pg_catalog.jsonb_build_object('table', x.table_name),
       retention._table_rows(x.table_name), 'Rows in the table, by its statistics.'
FROM (SELECT DISTINCT p.table_name FROM retention.policy p WHERE NOT p.report) x;
