-- How large tables are, with all that belongs to them by partitioning and inheritance, and how well PostgreSQL
-- knows them. $1: tables, as schema.table. One row a table that is there: its name, pages on disk, rows as the
-- last ANALYZE or VACUUM saw them, rows changed since the last ANALYZE, and whether some were never looked at.
WITH RECURSIVE member AS (
    SELECT n.nspname || '.' || c.relname AS name, c.oid AS rel
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname = ANY ($1::text[]) AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT m.name, i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.rel
)
SELECT m.name, coalesce(sum(pg_relation_size(m.rel)) / current_setting('block_size')::bigint, 0)::bigint,
       sum(greatest(c.reltuples, 0))::bigint, sum(pg_stat_get_mod_since_analyze(m.rel))::bigint,
       bool_or(c.reltuples < 0 AND pg_relation_size(m.rel) > 0)
FROM member m JOIN pg_class c ON c.oid = m.rel
WHERE c.relkind = 'r'
GROUP BY 1 ORDER BY 1
