-- health returns one row for each problem that needs a person's attention. The runner, operators
-- and viewers may call it. It counts no rows of the application. If a run failed, tripped or was
-- abandoned, it takes the locks of _mended().
-- severity: "error" if due rows are not taken, otherwise "warning". It is "unknown" if the jobs are
--   in another database, and their runs do not show that they are called.
CREATE OR REPLACE FUNCTION retention.health() RETURNS TABLE (severity text, policy text, problem text, hint text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY SELECT 'error', NULL::text, x.why, x.hint
    FROM (VALUES (retention._copy(), 'pgretain adopt --reason ''...'', or SELECT retention.adopt(''...''), '
                  'if rows are to be deleted here.'),
                 (retention._half_upgraded(), 'Migrate: with "pgretain migrate up", or with the program that applies '
                  'your migrations.')) x (why, hint) WHERE x.why IS NOT NULL
    UNION ALL SELECT DISTINCT x.severity, s.policy, x.problem, x.hint
    FROM retention.job_status s
    LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.id = s.missed_run OFFSET 0) m ON true
    LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.id = s.refused_run OFFSET 0) f ON true
    CROSS JOIN LATERAL (SELECT coalesce(' for ' || nullif(retention._scope_text(s.scope), ''), '') AS scope,
                               s.mended AS mended OFFSET 0) o
    CROSS JOIN LATERAL (VALUES
        ('warning', s.last_state IN ('failed', 'tripped', 'abandoned') AND o.mended,
         format('the last run%s (%s) %s, and nothing that can be seen stops the next run%s', o.scope, s.last_run,
             s.last_state, ': ' || s.last_message),
         'The next run tries again. To run now: ' || retention._run_again(s.policy, s.scope)),
        ('error', s.last_state IN ('failed', 'tripped', 'abandoned') AND NOT o.mended,
         format('the last run%s (%s) %s%s', o.scope, s.last_run, s.last_state, ': ' || s.last_message),
         coalesce(retention._trip_hint(s.last_tripped_by, s.policy, s.last_message),
                  format('Run "pgretain verify". It finds the causes that can be seen. To run again: %s',
                         retention._run_again(s.policy, s.scope)))),
        ('warning', s.last_state = 'stopped',
         format('the last run%s (%s) was %s', o.scope, s.last_run, s.last_message),
         'The next run continues. To run now: ' || retention._run_again(s.policy, s.scope)),
        ('error', s.missed_run IS NOT NULL,
         format('%s did not run the policy%s (run %s, at %s): %s', coalesce(format('job "%s"', m.job), 'the last call'),
             o.scope, s.missed_run, m.ended_at, m.message),
         format('Let the jobs of table "%s" start at other times. To run now: %s', s.table_name,
             CASE WHEN m.job IS NULL THEN retention._run_again(s.policy, s.scope)
                 ELSE format('CALL retention.run_job(%L);', m.job) END)),
        ('error', s.empty_in_a_row >= 3 AND s.last_state NOT IN ('failed', 'tripped', 'abandoned'),
         format('the last %s runs%s left due rows and took none: %s', s.empty_in_a_row, o.scope, s.last_message),
         format('SELECT * FROM retention.run WHERE id = %s', s.last_run)),
        ('warning', f.id IS NOT NULL AND s.last_state <> 'failed',
         format('%s %s refused in run %s%s%s', f.refused, CASE f.refused WHEN 1 THEN 'row was' ELSE 'rows were' END,
             f.id, o.scope, ': ' || (SELECT b.message FROM retention.batch b
                 WHERE b.run_id = f.id AND b.refused > 0 AND b.message IS NOT NULL ORDER BY b.n LIMIT 1)),
         format('SELECT message FROM retention.batch WHERE run_id = %s AND refused > 0', f.id))
    ) x (severity, given, problem, hint) WHERE x.given AND NOT s.superseded
    UNION ALL SELECT 'warning', p.name, retention._paused(p.name),
        CASE WHEN EXISTS (SELECT FROM retention.setting s WHERE s.policy = '*' AND s.name = 'paused')
            THEN 'pgretain resume, or SELECT retention.resume()'
            ELSE format('pgretain resume %1$s, or SELECT retention.resume(%1$L)', p.name) END
    FROM retention.policy p WHERE retention._paused(p.name) IS NOT NULL
    UNION ALL
    SELECT 'warning', p.name, w.note, format('pgretain window %1$s default --reason ''...'', or '
           'SELECT retention.set_window(%1$L, NULL, ''...''), removes it.', p.name)
    FROM retention.policy p, retention._window_set(p.*) w WHERE w.note IS NOT NULL
    UNION ALL SELECT 'warning', p.name, format('the report alerts: %s of %s rows at %s', a.alerts,
                                     jsonb_array_length(a.rows), a.as_of),
           format('SELECT rows FROM retention.report WHERE id = %s', a.id)
    FROM retention.policy p
    CROSS JOIN LATERAL (SELECT * FROM retention.report x WHERE x.name = p.name ORDER BY x.id DESC LIMIT 1) a
    WHERE p.report AND a.alerts > 0
    UNION ALL SELECT x.severity, NULL::text, x.problem, x.hint
    FROM (VALUES ('stopped', 'error', 'the pg_cron scheduler is not running',
                  'Look for "pg_cron" in the server''s log and in shared_preload_libraries.'),
                 ('unknown', 'warning', 'could not determine whether the pg_cron scheduler is running',
                  format('GRANT pg_monitor TO %I;', current_user))) x (state, severity, problem, hint)
    WHERE x.state = retention._scheduler_state()
    UNION ALL SELECT x.severity, NULL::text, x.problem, x.hint
    FROM retention.install i  -- pg_cron may be in another database, whose tables cannot be read here
    CROSS JOIN LATERAL (
        SELECT 'warning', 'could not check the jobs in pg_cron', 'Have a DBA run what "pgretain bootstrap" prints.'
        WHERE NOT retention._cron_seen()
        UNION ALL
        -- The minute "H" differs between databases, and pg_cron gets "@yearly" in another form.
        SELECT y.severity, format(y.problem, w.name), CASE
            WHEN w.changes OR retention._cron_seen() IS NULL
            THEN 'Run "pgretain verify". Its hint is the statement that schedules the job.'
            ELSE format('SET ROLE %s; %sSELECT cron.schedule(%L, %L, %L); RESET ROLE;', u.runner,
                CASE WHEN c.username::name = u.name THEN format('SELECT cron.unschedule(%L); ', w.name) END, w.name,
                s.schedule, u.command) END
        FROM retention.job j
        CROSS JOIN LATERAL (
            SELECT x.name, x.n, j.schedules[x.n] ~ '^(H|@yearly|@annually)' AS changes
            FROM unnest(j.cron_names) WITH ORDINALITY x (name, n)) w
        CROSS JOIN LATERAL (SELECT j.schedules[w.n] AS schedule) s
        CROSS JOIN LATERAL (SELECT p.proowner::regrole AS runner, pg_get_userbyid(p.proowner) AS name,
                concat('CALL retention.run_if_due(', quote_literal(j.name), ')') AS command
            FROM pg_proc p WHERE p.oid = 'retention._cron_jobs()'::regprocedure) u
        LEFT JOIN retention._cron_jobs() c ON c.jobname = w.name
        CROSS JOIN LATERAL (VALUES
            ('error', c.jobname IS NULL, 'job "%s" is not scheduled in pg_cron'),
            ('error', NOT c.active, 'job "%s" is switched off in pg_cron'),
            ('error', c.command <> u.command OR c.database <> current_database(),
             'job "%s" has another command or database in pg_cron'),
            ('warning', c.schedule <> s.schedule AND NOT w.changes, 'job "%s" has another schedule in pg_cron')
        ) y (severity, given, problem)
        WHERE y.given AND retention._cron_seen() IS NOT FALSE
    ) x (severity, problem, hint)
    WHERE i.scheduler = 'pg_cron' AND i.cron_database IS NULL AND NOT pg_is_in_recovery()
    UNION ALL
    SELECT 'unknown', NULL::text, format('could not check the jobs in pg_cron, in database "%s"', i.cron_database),
           'Run "pgretain verify". It looks there, and its hint is the statement that schedules a job.'
    FROM retention.install i
    WHERE i.scheduler = 'pg_cron' AND i.cron_database IS NOT NULL AND NOT pg_is_in_recovery()
      AND NOT retention._jobs_in_time()
    UNION ALL SELECT 'error', NULL::text,
           format('pg_cron cannot start job "%s": its last %s attempts failed: %s', a.jobname, a.failed,
                  rtrim(a.message, E'.\n ')), 'Run "pgretain verify". Its hint for V049 says what to do.'
    FROM retention._cron_attempts() a
    WHERE a.failed > 1 AND EXISTS (SELECT FROM retention.job j WHERE a.jobname = ANY (j.cron_names)) AND NOT EXISTS (
        SELECT FROM retention.run r JOIN retention.job j ON j.name = r.job
        WHERE a.jobname = ANY (j.cron_names) AND r.started_at >= a.since);
END $function$;
