-- Returns a row for each index name, in the order of $1.
-- Columns of the result:
-- - the position of the name
-- - whether the index exists
-- - whether it is valid
-- - whether it is ready and not being dropped
-- - its table, as schema.table
-- - its definition, NULL if the index does not exist
-- - the definition that was recorded after the index was built, NULL if none was recorded
-- $1: names, as schema.index
SELECT w.n::integer, i.indexrelid IS NOT NULL, coalesce(i.indisvalid, false),
       coalesce(i.indisready AND i.indislive, false),
       coalesce((SELECT tn.nspname || '.' || tc.relname
                 FROM pg_class tc JOIN pg_namespace tn ON tn.oid = tc.relnamespace
                 WHERE tc.oid = i.indrelid), ''), pg_get_indexdef(i.indexrelid), d.definition
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
       ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN retention.index_definition d ON d.schema_name = s.nspname AND d.index_name = c.relname
ORDER BY 1
