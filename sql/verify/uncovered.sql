-- Findings on tables from which no policy takes rows.
-- $1: the schemas that are checked. Column place is the position in this array.
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
-- The detail has the size, unless reading the size would wait for a lock. It has the estimated
-- rows, unless the table was never analyzed. It has the inserted rows, unless the server is a
-- standby, which does not know them.
WITH RECURSIVE policy AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($3) AS p (policy text, covers jsonb, uses jsonb, deletes text[], parts text)
), cover AS MATERIALIZED (
    SELECT c.name, c.reached FROM policy p CROSS
        JOIN LATERAL jsonb_to_recordset(p.covers) AS c (name text, reached boolean)
), use AS MATERIALIZED (
    SELECT p.policy, u.* FROM policy p
    CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(p.uses) AS (name text, inserts boolean, reached boolean))
        WITH ORDINALITY AS u (name, inserts, reached, n)
), told AS ( -- one sentence for each policy and table, from the first use
    SELECT DISTINCT ON (u.policy, u.name) u.policy, u.name, CASE
        WHEN u.n = 1 THEN format('Policy "%s" is for this table, but its steps do not change the rows.', u.policy)
        WHEN u.inserts THEN format('Policy "%s" writes to it.', u.policy)
        ELSE format('Policy "%s" has it under "cascades", but no foreign key of it deletes rows.',
            u.policy) END AS sentence
    FROM use u WHERE u.n = 1 OR u.inserts OR u.reached ORDER BY u.policy, u.name, u.n
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
SELECT array_position($1::text[], u.schema) AS place, u.name AS object, 'undecided' AS severity,
       format('%s "%s" has no policy, no protection and no exemption',
              CASE WHEN u.partitioned THEN 'partitioned table' WHEN u.persistence = 'u' THEN 'unlogged table'
                  ELSE 'table' END, u.name) AS message,
       concat_ws(' ', growth.size, growth.inserted,
                 (SELECT string_agg(t.sentence, ' ' ORDER BY t.policy) FROM told t WHERE t.name = u.name)) AS detail,
       format('Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".', u.name) AS hint
FROM uncovered u
CROSS JOIN LATERAL (
    SELECT 'It has no partition yet.', NULL WHERE u.partitioned AND u.parts IS NULL
    UNION ALL
    SELECT format('%s%s%s.',
                  CASE WHEN EXISTS (SELECT FROM locked l WHERE l.relation = ANY (u.oids))
                       THEN 'Its size could not be read, because another session has locked it'
                       ELSE 'It takes ' || (SELECT pg_size_pretty(coalesce(sum(pg_total_relation_size(o.oid)), 0))
                           FROM unnest(u.oids) AS o (oid)) END,
                  CASE WHEN u.partitioned THEN format(' in %s %s', u.parts, CASE u.parts WHEN 1 THEN 'partition'
                      ELSE 'partitions' END) END,
                  CASE WHEN u.rows IS NOT NULL
                      THEN format(', about %s %s', u.rows, CASE u.rows WHEN 1 THEN 'row' ELSE 'rows' END) END),
           CASE WHEN NOT pg_is_in_recovery()
                THEN format('%s inserted since %s.', u.inserted || CASE u.inserted WHEN 1 THEN ' row was'
                    ELSE ' rows were' END,
                            coalesce((SELECT to_char(s.stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
                                      FROM pg_stat_database s WHERE s.datname = current_database()),
                                          'its statistics began')) END
    WHERE NOT (u.partitioned AND u.parts IS NULL)) growth (size, inserted)
ORDER BY 1, 2
