-- How large tables are, with all that belongs to them by partitioning and inheritance, and how well PostgreSQL
-- knows them. $1: tables, as schema.table. One row a table that is there: its name, pages on disk, rows as the
-- last ANALYZE or VACUUM saw them, rows changed since the last ANALYZE, whether some were never looked at, and
-- whether tables inherit from it that are no partitions. Of what somebody has, or waits for, with ACCESS
-- EXCLUSIVE the pages are those of the last VACUUM: looking at the disk would wait.
WITH RECURSIVE member AS (
    SELECT n.nspname || '.' || c.relname AS name, c.oid AS rel, false AS inherits
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname = ANY ($1::text[]) AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT m.name, i.inhrelid, NOT x.relispartition
    FROM member m JOIN pg_inherits i ON i.inhparent = m.rel JOIN pg_class x ON x.oid = i.inhrelid
), locked AS MATERIALIZED (
    SELECT DISTINCT l.relation
    FROM pg_locks l JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
    WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
), sized AS (
    SELECT m.name, m.rel, m.inherits, c.reltuples,
           CASE WHEN l.relation IS NULL
                THEN pg_relation_size(m.rel) / current_setting('block_size')::bigint
                ELSE c.relpages END AS pages
    FROM member m JOIN pg_class c ON c.oid = m.rel LEFT JOIN locked l ON l.relation = m.rel
    WHERE c.relkind = 'r'
)
SELECT s.name, coalesce(sum(s.pages), 0)::bigint, sum(greatest(s.reltuples, 0))::bigint,
       coalesce(sum(pg_stat_get_mod_since_analyze(s.rel)), 0)::bigint, coalesce(bool_or(s.reltuples < 0 AND s.pages > 0), false),
       bool_or(s.inherits)
FROM sized s GROUP BY 1 ORDER BY 1
