-- Returns a row for each index name, in the order of $1.
-- Columns of the result:
-- - the position of the name
-- - whether the index exists
-- - whether it is valid
-- - whether it is ready and not being dropped
-- - its table, as schema.table
-- - its definition, NULL if the index does not exist
-- - the definition that was recorded after the index was built, NULL if none was recorded
-- - whether its table is partitioned
-- - whether its table is a partition of the wanted table
-- - the kind of the wanted table (pg_class.relkind), '' if there is no such table
-- - if the index does not exist: another index of the wanted table, as SQL; '' if there is none.
--   Its comment has the name, or it has the recorded definition.
-- - whether the comment of that index says that pgretain built it
-- $1: names, as schema.index
-- $2: the table of each index, as schema.table
WITH wanted AS (
    SELECT w.name, w.n::integer, t.oid AS table_oid, t.relkind, d.definition,
           split_part(w.name, '.', -1) AS index_name
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (name, table_name, n)
    LEFT JOIN (pg_class t JOIN pg_namespace ts ON ts.oid = t.relnamespace)
           ON ts.nspname || '.' || t.relname = w.table_name
    LEFT JOIN retention.index_definition d ON d.schema_name || '.' || d.index_name = w.name
)
SELECT w.n, i.indexrelid IS NOT NULL, coalesce(i.indisvalid, false),
       coalesce(i.indisready AND i.indislive, false),
       coalesce((SELECT tn.nspname || '.' || tc.relname
                 FROM pg_class tc JOIN pg_namespace tn ON tn.oid = tc.relnamespace
                 WHERE tc.oid = i.indrelid), ''), pg_get_indexdef(i.indexrelid), w.definition,
       coalesce(c.relkind = 'I', false),
       EXISTS (SELECT FROM pg_partition_ancestors(i.indrelid) a WHERE a.relid = w.table_oid AND a.relid <> i.indrelid),
       coalesce(w.relkind::text, ''), coalesce(o.name, ''), coalesce(o.ours, false)
FROM wanted w
LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
       ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN LATERAL (
    SELECT format('%I.%I', os.nspname, oc.relname) AS name, x.ours
    FROM pg_index oi JOIN pg_class oc ON oc.oid = oi.indexrelid JOIN pg_namespace os ON os.oid = oc.relnamespace
    CROSS JOIN LATERAL (SELECT obj_description(oc.oid, 'pg_class') LIKE 'pgretain: index %' IS TRUE AS ours,
        starts_with(obj_description(oc.oid, 'pg_class'), format('pgretain: index %s of ', w.index_name)) AS named) x
    WHERE c.oid IS NULL AND oi.indrelid = w.table_oid AND oi.indisvalid AND oi.indisready
      AND os.nspname || '.' || oc.relname <> ALL ($1)
      AND (x.named OR substring(pg_get_indexdef(oc.oid) FROM ' USING .*') = substring(w.definition FROM ' USING .*'))
    ORDER BY x.ours DESC, oc.relname LIMIT 1) o ON true
ORDER BY 1
