-- Returns the numbers of runs, holds in force and events, which are dropped with the schema of the
-- runtime. Also returns the names of policies and reports, of policies for each schema, and of jobs
-- in pg_cron.
SELECT (SELECT count(*) FROM retention.run),
       (SELECT count(*) FROM retention.hold h
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > pg_catalog.clock_timestamp())),
       (SELECT count(*) FROM retention.event),
       ARRAY(SELECT p.name FROM retention.policy p WHERE pg_catalog.strpos(p.name, '@') = 0 ORDER BY 1),
       ARRAY(SELECT e.name FROM retention.each e ORDER BY 1),
       ARRAY(SELECT n FROM retention.job j, pg_catalog.unnest(j.cron_names) n
             WHERE (SELECT i.scheduler FROM retention.install i) = 'pg_cron' ORDER BY 1);
