-- Returns the tables from which no policy takes rows.
-- $1: the schemas that are checked
-- $2: protected and exempt tables, as schema.table
-- $3: an array of policies with these keys:
--   - policy: its name
--   - covers: tables whose rows it takes, by a step or (reached) by a foreign key that deletes
--   - uses: tables that it names, with inserts if a step writes to the table
--   - deletes: tables from which its steps delete
--   - parts: the partitioned table whose partitions it detaches now and drops later, or ''
-- A table that has the same columns as the table in parts counts as a detached partition, unless a
-- step writes to it. A partition is reported with the root of its tree. It is covered if any table
-- above it is covered. Temporary and foreign tables, and tables of extensions, are not checked.
-- Columns of the result:
-- - n: the position of the schema in $1
-- - name: the table
-- - partitioned, unlogged
-- - parts: the number of its partitions that are not covered. 1 if the table is not partitioned.
-- - size: their size, '' if reading the size would wait for a lock
-- - rows: the estimated rows, NULL if the table was never analyzed
-- - inserted: the inserted rows, NULL on a standby, which does not know them
-- - since: the timestamp from which inserted rows are counted, '' if they were always counted
WITH RECURSIVE policy AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($3) AS p (policy text, covers jsonb, uses jsonb, deletes text[], parts text)
), cover AS MATERIALIZED (
    SELECT c.name, c.reached FROM policy p CROSS
        JOIN LATERAL jsonb_to_recordset(p.covers) AS c (name text, reached boolean)
), use AS MATERIALIZED (
    SELECT u.name, u.inserts FROM policy p
    CROSS JOIN LATERAL jsonb_to_recordset(p.uses) AS u (name text, inserts boolean)
), named AS (
    SELECT c.oid, n.nspname::text AS schema, c.relname::text AS table, n.nspname || '.' || c.relname AS name,
           c.relkind, c.relispartition, c.relpersistence::text AS persistence, c.reltuples
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p')
), cared AS (
    SELECT t.oid FROM named t
    WHERE t.name IN (SELECT unnest($2::text[]) UNION ALL SELECT c.name FROM cover c WHERE NOT c.reached)
       OR t.name IN (SELECT c.name FROM cover c WHERE c.reached)
          AND EXISTS (SELECT FROM pg_constraint k JOIN named r ON r.oid = k.confrelid
                      WHERE k.conrelid = t.oid AND k.contype = 'f' AND k.confdeltype = 'c' AND r.name IN (
                          SELECT c.name FROM cover c WHERE c.reached UNION ALL SELECT unnest(p.deletes) FROM policy p))
    UNION
    SELECT i.inhrelid FROM cared d JOIN pg_inherits i ON i.inhparent = d.oid
), columns AS (
    SELECT a.attrelid AS oid,
           array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attname) AS list
    FROM pg_attribute a JOIN named t ON t.oid = a.attrelid
    WHERE EXISTS (SELECT FROM policy p WHERE p.parts <> '') AND a.attnum > 0 AND NOT a.attisdropped
      AND (t.schema = ANY ($1::text[]) OR t.name IN (SELECT p.parts FROM policy p))
    GROUP BY 1
), root AS (
    SELECT t.* FROM named t
    WHERE t.schema = ANY ($1::text[]) AND NOT t.relispartition AND t.persistence <> 't'
      AND t.oid NOT IN (SELECT d.oid FROM cared d)
      AND NOT EXISTS (SELECT FROM pg_depend e
                      WHERE e.classid = 'pg_class'::regclass AND e.objid = t.oid AND e.deptype = 'e')
      AND NOT (t.relkind = 'r' AND t.name NOT IN (SELECT u.name FROM use u WHERE u.inserts) AND EXISTS (
              SELECT FROM columns own
              JOIN columns other ON other.list = own.list AND other.oid <> own.oid
              JOIN named p ON p.oid = other.oid AND p.name IN (SELECT q.parts FROM policy q)
              WHERE own.oid = t.oid))
), tree AS (
    SELECT r.oid AS root, r.oid, r.relkind, r.reltuples FROM root r
    UNION ALL
    SELECT t.root, p.oid, p.relkind, p.reltuples
    FROM tree t
    JOIN pg_inherits i ON i.inhparent = t.oid
    JOIN named p ON p.oid = i.inhrelid AND p.relispartition
), leaf AS (
    SELECT t.root, count(*) AS all_parts, count(*) FILTER (WHERE d.oid IS NULL) AS parts,
           sum(CASE WHEN t.reltuples >= 0 THEN t.reltuples::bigint
                    ELSE nullif(pg_stat_get_live_tuples(t.oid), 0) END)
               FILTER (WHERE d.oid IS NULL)::bigint AS rows,
           sum(pg_stat_get_tuples_inserted(t.oid)) FILTER (WHERE d.oid IS NULL)::bigint AS inserted,
           array_agg(t.oid) FILTER (WHERE d.oid IS NULL) AS oids
    FROM tree t LEFT JOIN cared d ON d.oid = t.oid
    WHERE t.relkind = 'r'
    GROUP BY 1
), locked AS MATERIALIZED (
    SELECT DISTINCT l.relation
    FROM pg_locks l JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
    WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
), uncovered AS MATERIALIZED (
    SELECT r.schema, r.name, r.relkind = 'p' AS partitioned, r.persistence, l.parts, l.rows,
        coalesce(l.inserted, 0) AS inserted, l.oids
    FROM root r LEFT JOIN leaf l ON l.root = r.oid
    WHERE coalesce(l.parts > 0 OR l.all_parts = 0, true)
)
SELECT array_position($1::text[], u.schema) AS n, u.name, u.partitioned, u.persistence = 'u' AS unlogged,
       coalesce(u.parts, 0) AS parts,
       CASE WHEN EXISTS (SELECT FROM locked l WHERE l.relation = ANY (u.oids)) THEN ''
            ELSE (SELECT pg_size_pretty(coalesce(sum(pg_total_relation_size(o.oid)), 0))
                  FROM unnest(u.oids) AS o (oid)) END AS size,
       u.rows, CASE WHEN NOT pg_is_in_recovery() THEN u.inserted END AS inserted,
       coalesce((SELECT to_char(s.stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
                 FROM pg_stat_database s WHERE s.datname = current_database()), '') AS since
FROM uncovered u
ORDER BY 1, 2
