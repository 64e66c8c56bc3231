-- What needs a person's attention, one row each. severity is "error" where rows stay that should go, else "warning".
CREATE OR REPLACE FUNCTION retention.health() RETURNS TABLE (severity text, policy text, problem text, hint text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY SELECT 'error', NULL::text, x.why, x.hint
    FROM (VALUES (retention._copy(), 'pgretain adopt --reason ''...'', or SELECT retention.adopt(''...''), '
                  'if rows are to be deleted here.'),
                 (retention._half_upgraded(), 'Run "pgretain migrate up".')) x (why, hint) WHERE x.why IS NOT NULL
    UNION ALL SELECT x.severity, s.policy, x.problem, x.hint
    FROM retention.status s CROSS JOIN LATERAL (VALUES
        ('error', s.last_state IN ('failed', 'tripped', 'abandoned'),
         format('the last run (%s) %s%s', s.last_run, s.last_state, ': ' || s.last_message),
         coalesce(retention._way_out(s.last_tripped_by, s.policy, s.last_message),
                  format('SELECT * FROM retention.run WHERE id = %s', s.last_run))),
        ('warning', s.paused IS NOT NULL, s.paused,
         format('pgretain resume %1$s, or SELECT retention.resume(%1$L)', s.policy)),
        ('warning', s.last_refused > 0, format('%s rows were refused in run %s', s.last_refused, s.last_run),
         format('SELECT message FROM retention.batch WHERE run_id = %s AND refused > 0', s.last_run))
    ) x (severity, given, problem, hint) WHERE x.given
    UNION ALL
    SELECT 'warning', p.name, w.note, format('pgretain window %1$s default --reason ''...'', or '
           'SELECT retention.set_window(%1$L, NULL, ''...''), takes it back.', p.name)
    FROM retention.policy p, retention._window_set(p.*) w WHERE w.note IS NOT NULL
    UNION ALL SELECT 'warning', p.name, format('the report alerts: %s of %s rows at %s', a.alerts,
                                     jsonb_array_length(a.rows), a.as_of),
           format('SELECT rows FROM retention.report WHERE id = %s', a.id)
    FROM retention.policy p
    CROSS JOIN LATERAL (SELECT * FROM retention.report x WHERE x.name = p.name ORDER BY x.id DESC LIMIT 1) a
    WHERE p.report AND a.alerts > 0
    UNION ALL SELECT 'error', NULL::text, 'the pg_cron scheduler is not running',
           'Look for "pg_cron" in the server''s log and in shared_preload_libraries.'
    FROM retention.install i  -- schema cron may be in another database
    WHERE i.scheduler = 'pg_cron' AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_type LIKE 'pg_cron%')
    UNION ALL SELECT 'error', NULL::text, format('job "%s" is switched off in pg_cron', c.jobname),
           'Run "pgretain migrate up"; "pgretain verify" shows the statement alone.'
    FROM retention._cron_jobs() c WHERE NOT c.active;
END $function$;
