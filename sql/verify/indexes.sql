-- Indexes. $1: names, as schema.index. One row per name, in their order: whether there is such an
-- index, valid and ready, its table, its definition now (NULL when it vanished meanwhile) and as it
-- was right after it was built (NULL when nobody wrote it down).
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
