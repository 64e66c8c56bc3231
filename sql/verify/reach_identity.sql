-- Findings on published tables whose rows PostgreSQL refuses to delete or update, because
-- subscribers could not identify the row. The replica identity is missing, or a row filter or
-- column list does not fit it.
-- $1: the result of query reach
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
SELECT w.policy, n.nspname || '.' || c.relname AS object,
       format('policy "%s" cannot %s rows of published table "%s.%s"', w.policy, lower(f.event), n.nspname,
           c.relname) AS message,
       format('Publication "%s" publishes each %s, and ', f.pubname, f.event)
       || CASE f.wrong WHEN 'filter' THEN 'its WHERE reads columns that are not in the table''s replica identity: PostgreSQL refuses it (42P10).'
                       WHEN 'columns' THEN 'its columns lack some of the table''s replica identity: PostgreSQL refuses it (42P10).'
                       ELSE 'the table has no replica identity: PostgreSQL refuses it (55000).' END
                           || coalesce(' The path is ' || nullif(w.way, '') || '.', '') AS detail,
       CASE WHEN f.wrong = 'columns' THEN 'Name all columns of the replica identity in the publication, or publish all columns.'
            ELSE format('ALTER TABLE %I.%I REPLICA IDENTITY %s;', n.nspname, c.relname,
                        CASE WHEN f.wrong = 'identity'
                            AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = f.oid AND i.indisprimary
                                AND i.indimmediate)
                             THEN 'DEFAULT' ELSE 'FULL' END) END AS hint
FROM fault f
JOIN effect w ON w.rel = f.oid AND w.event = f.event
JOIN pg_class c ON c.oid = f.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE f.wrong IS NOT NULL
ORDER BY 1, 2, 3, 4
