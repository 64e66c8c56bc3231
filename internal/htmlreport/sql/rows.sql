-- The tables of policies, and those whose rows went or changed in their runs of $1 days: rows through foreign keys, and
-- by other steps than the policy's own. Then size with indexes, rows and dead rows by the statistics, the last VACUUM, and the
-- statement of one where more rows are dead than autovacuum waits for and none has come for a day. Of what somebody has, or
-- waits for, with ACCESS EXCLUSIVE the size is that of the last VACUUM: looking at the disk would wait.
WITH RECURSIVE counted AS (
    SELECT x.name, sum(x.cascaded)::bigint AS cascaded, sum(x.related)::bigint AS related
    FROM (SELECT e.key AS name, e.cascaded, e.related
          FROM retention.run r
          CROSS JOIN LATERAL (SELECT c.key, c.value::bigint AS cascaded, 0 AS related FROM jsonb_each_text(r.cascaded) c
                              UNION ALL SELECT o.key, 0, o.value::bigint FROM jsonb_each_text(r.related) o) e
          WHERE r.ended_at >= now()::date - $1::integer + 1 AND r.started_at >= now()::date - $1::integer + 1 AND NOT r.dry_run
          UNION ALL SELECT p.table_name, 0, 0 FROM retention.policy p WHERE NOT p.report) x
    GROUP BY 1
), member AS (
    SELECT x.name, c.oid AS rel, c.oid AS root
    FROM counted x JOIN pg_class c ON c.relkind IN ('r', 'p')
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname || '.' || c.relname = x.name
    UNION SELECT m.name, i.inhrelid, m.root FROM member m JOIN pg_inherits i ON i.inhparent = m.rel
), locked AS MATERIALIZED (
    SELECT DISTINCT l.relation FROM pg_locks l JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
    WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
), facts AS (
    SELECT m.name, m.root, s.n_live_tup AS live, s.n_dead_tup AS dead, greatest(s.last_vacuum, s.last_autovacuum) AS vacuumed,
           CASE WHEN l.relation IS NULL THEN pg_total_relation_size(c.oid)
                ELSE c.relpages * current_setting('block_size')::bigint END AS bytes,
           s.n_dead_tup > coalesce(o.least, current_setting('autovacuum_vacuum_threshold')::bigint)
               + coalesce(o.share, current_setting('autovacuum_vacuum_scale_factor')::float8) * greatest(c.reltuples, 0)
           AND coalesce(greatest(s.last_vacuum, s.last_autovacuum), a.adopted_at) < now() - interval '1 day'
           AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.relid = c.oid) AS wanting
    FROM member m JOIN pg_class c ON c.oid = m.rel AND c.relkind = 'r' JOIN pg_stat_all_tables s ON s.relid = c.oid
    LEFT JOIN locked l ON l.relation = c.oid
    CROSS JOIN retention.install a
    CROSS JOIN LATERAL (
        SELECT max(x.option_value) FILTER (WHERE x.option_name = 'autovacuum_vacuum_threshold')::bigint AS least,
               max(x.option_value) FILTER (WHERE x.option_name = 'autovacuum_vacuum_scale_factor')::float8 AS share
        FROM pg_options_to_table(c.reloptions) x) o
)
SELECT x.name, x.cascaded, x.related, coalesce(pg_size_pretty(sum(f.bytes)), ''), coalesce(sum(f.live), 0)::bigint,
       coalesce(sum(f.dead), 0)::bigint, max(f.vacuumed),
       coalesce('VACUUM (ANALYZE) ' || min(f.root::regclass::text) FILTER (WHERE f.wanting) || ';', '')
FROM counted x LEFT JOIN facts f ON f.name = x.name
GROUP BY 1, 2, 3
ORDER BY 1
