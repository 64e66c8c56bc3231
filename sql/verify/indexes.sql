-- Indexes. $1: names, as schema.index; $2: whether to wait for locks. One row per name, in their order: whether there is
-- such an index, valid and ready, its table, its definition now (NULL when it vanished meanwhile) and as it was right
-- after it was built (NULL when nobody wrote it down), and whether it was passed by because somebody has, or waits for,
-- ACCESS EXCLUSIVE on its table: printing a definition locks that.
SELECT w.n::integer, i.indexrelid IS NOT NULL, coalesce(i.indisvalid, false),
       coalesce(i.indisready AND i.indislive, false),
       coalesce((SELECT tn.nspname || '.' || tc.relname
                 FROM pg_class tc JOIN pg_namespace tn ON tn.oid = tc.relnamespace
                 WHERE tc.oid = i.indrelid), ''),
       CASE WHEN $2 OR l.relation IS NULL THEN pg_get_indexdef(i.indexrelid) END, d.definition,
       NOT $2 AND l.relation IS NOT NULL
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
       ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN (SELECT DISTINCT x.relation
           FROM pg_locks x JOIN pg_database b ON b.oid = x.database AND b.datname = current_database()
           WHERE x.locktype = 'relation' AND x.mode = 'AccessExclusiveLock') l ON l.relation = i.indrelid
LEFT JOIN retention.index_definition d ON d.schema_name = s.nspname AND d.index_name = c.relname
ORDER BY 1
