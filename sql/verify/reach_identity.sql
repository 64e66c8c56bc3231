-- Returns the published tables whose rows PostgreSQL refuses to delete or update, because
-- subscribers could not identify the row.
-- $1: the result of query reach
-- Columns of the result:
-- - policy, event: the policy, and DELETE or UPDATE
-- - table, sql: the table, also quoted as SQL
-- - publication
-- - fault: "identity" if the table has no replica identity, "filter" or "columns" if the row filter
--   or the column list of the publication does not fit it
-- - primary_key: true if the table has a primary key that can be the replica identity
-- - way: the foreign key that leads to the rows, '' if there is none
-- The publication may contain the table, a partitioned table above it, its schema, or all tables.
WITH effect AS MATERIALIZED (
    SELECT e.policy, e.rel, e.event, min(e.way) AS way
    FROM jsonb_to_recordset($1::jsonb -> 'effects') AS e (policy text, rel oid, event text, way text)
    WHERE e.event IN ('DELETE', 'UPDATE') GROUP BY 1, 2, 3
), touched AS (
    SELECT DISTINCT c.oid, x.event, c.relreplident, c.relispartition
    FROM effect x JOIN pg_class c ON c.oid = x.rel
    WHERE c.relkind = 'r' AND c.relpersistence = 'p'
), above AS (
    SELECT t.oid, t.oid AS member, 0 AS depth FROM touched t
    UNION
    SELECT t.oid, a.relid, a.n::integer - 1
    FROM touched t CROSS JOIN LATERAL pg_partition_ancestors(t.oid) WITH ORDINALITY AS a (relid, n)
), identity AS (
    SELECT t.oid, i.indkey
    FROM touched t
    JOIN pg_index i ON i.indrelid = t.oid AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL
    WHERE CASE t.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident END
), published AS (
    SELECT DISTINCT t.oid, t.event, t.relreplident, p.oid AS publication, p.pubname,
           coalesce((SELECT a.member  -- the table whose row filter and column list apply
                     FROM above a JOIN pg_publication_rel r ON r.prrelid = a.member AND r.prpubid = p.oid
                     WHERE a.oid = t.oid AND p.pubviaroot ORDER BY a.depth DESC LIMIT 1), t.oid) AS as_rel
    FROM touched t
    JOIN pg_publication p ON CASE t.event WHEN 'DELETE' THEN p.pubdelete ELSE p.pubupdate END
    WHERE p.puballtables
       OR EXISTS (SELECT FROM above a JOIN pg_publication_rel r ON r.prrelid = a.member AND r.prpubid = p.oid
                  WHERE a.oid = t.oid)
       OR EXISTS (SELECT FROM above a JOIN pg_class c ON c.oid = a.member
                  JOIN pg_publication_namespace s ON s.pnnspid = c.relnamespace AND s.pnpubid = p.oid
                  WHERE a.oid = t.oid)
), fault AS (
    SELECT p.oid, p.event, p.pubname,
           CASE WHEN p.relreplident <> 'f'
                     AND EXISTS (SELECT FROM regexp_matches(r.prqual::text, ':varattno (\d+)', 'g') AS m (found)
                                 JOIN pg_attribute a ON a.attrelid = p.as_rel AND a.attnum = m.found[1]::smallint
                                 WHERE NOT EXISTS (SELECT FROM pg_attribute own
                                                   WHERE own.attrelid = p.oid AND own.attname = a.attname
                                                     AND own.attnum = ANY (i.indkey::smallint[]) IS TRUE))
                    THEN 'filter'
                WHEN r.prattrs IS NOT NULL
                     AND (p.relreplident = 'f'
                          OR EXISTS (SELECT FROM unnest(i.indkey::smallint[]) AS k (attnum)
                                     JOIN pg_attribute own ON own.attrelid = p.oid AND own.attnum = k.attnum
                                     WHERE NOT EXISTS (SELECT FROM pg_attribute a
                                                       WHERE a.attrelid = p.as_rel AND a.attname = own.attname
                                                         AND a.attnum = ANY (r.prattrs::smallint[]))))
                    THEN 'columns'
                WHEN p.relreplident <> 'f' AND i.oid IS NULL THEN 'identity'
           END AS wrong
    FROM published p
    LEFT JOIN identity i ON i.oid = p.oid
    LEFT JOIN pg_publication_rel r ON r.prrelid = p.as_rel AND r.prpubid = p.publication
)
SELECT w.policy, f.event, n.nspname || '.' || c.relname AS "table", format('%I.%I', n.nspname, c.relname) AS sql,
       f.pubname::text AS publication, f.wrong AS fault,
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = f.oid AND i.indisprimary AND i.indimmediate) AS primary_key,
       coalesce(w.way, '') AS way
FROM fault f
JOIN effect w ON w.rel = f.oid AND w.event = f.event
JOIN pg_class c ON c.oid = f.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE f.wrong IS NOT NULL
ORDER BY 1, 2, 3, 4
