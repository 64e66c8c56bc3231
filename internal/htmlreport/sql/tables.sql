-- Returns one row for each table that policies or deletes reach, about 30 days: rows that its
-- policies took, rows changed by foreign keys, and rows taken by steps on related tables. It also
-- lists the foreign keys to the table with their actions; keys of partitions are those of their
-- root table. It returns the size with indexes, the estimated numbers of rows and dead rows, and
-- the last VACUUM. A VACUUM statement is returned if autovacuum should have run for more than a
-- day. For a table with an ACCESS EXCLUSIVE lock, or a session waiting for one, the size is that of
-- the last VACUUM. Reading the present size would wait for the lock.
WITH RECURSIVE named AS (
    SELECT c.oid, n.nspname || '.' || c.relname AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')
), reached (rel) AS (
    SELECT x.oid FROM named x WHERE x.name IN (SELECT unnest(p.deletes || p.statement_deletes) FROM retention.policy p)
    UNION SELECT k.conrelid FROM reached r JOIN pg_constraint k ON k.confrelid = r.rel
    WHERE k.contype = 'f' AND k.confdeltype = 'c' AND k.conparentid = 0
), leads AS (
    SELECT x.name, string_agg(x.other, ', ' ORDER BY x.other) AS keys
    FROM (SELECT DISTINCT a.name, format('%s (%s)', b.name, CASE k.confdeltype WHEN 'c' THEN 'on delete cascade'
                 WHEN 'n' THEN 'on delete set null' WHEN 'd' THEN 'on delete set default' ELSE 'keeps rows' END) AS other
          FROM reached r JOIN pg_constraint k ON k.confrelid = r.rel AND k.contype = 'f' AND k.conparentid = 0
          JOIN named a ON a.oid = k.confrelid JOIN named b ON b.oid = k.conrelid) x
    GROUP BY 1
), counted AS (
    SELECT x.name, sum(x.taken)::bigint AS taken, sum(x.cascaded)::bigint AS cascaded, sum(x.related)::bigint AS related
    FROM (SELECT e.name, e.taken, e.cascaded, e.related
          FROM retention.run r
          CROSS JOIN LATERAL (SELECT r.table_name, r.taken, 0, 0 WHERE r.table_name <> ''
                              UNION ALL SELECT c.key, 0, c.value::bigint, 0 FROM jsonb_each_text(r.cascaded) c
                              UNION ALL SELECT o.key, 0, 0, o.value::bigint FROM jsonb_each_text(r.related) o)
                             e (name, taken, cascaded, related)
          WHERE r.ended_at >= now()::date - 29 AND r.started_at >= now()::date - 29 AND NOT r.dry_run
          UNION ALL SELECT p.table_name, 0, 0, 0 FROM retention.policy p WHERE NOT p.report
          UNION ALL SELECT l.name, 0, 0, 0 FROM leads l) x
    GROUP BY 1
), member AS (
    SELECT x.name, n.oid AS rel, n.oid AS root FROM counted x JOIN named n ON n.name = x.name
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
SELECT x.name, x.taken, x.cascaded, x.related, l.keys, pg_size_pretty(sum(f.bytes)) AS size, coalesce(sum(f.live), 0)::bigint AS live,
       coalesce(sum(f.dead), 0)::bigint AS dead, max(f.vacuumed) AS vacuumed,
       'VACUUM (ANALYZE) ' || min(f.root::regclass::text) FILTER (WHERE f.wanting) || ';' AS vacuum
FROM counted x LEFT JOIN facts f ON f.name = x.name LEFT JOIN leads l ON l.name = x.name
GROUP BY x.name, x.taken, x.cascaded, x.related, l.keys
ORDER BY x.taken DESC, x.cascaded DESC, x.related DESC, x.name
