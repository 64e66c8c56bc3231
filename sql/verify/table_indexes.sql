-- Indexes that tables have. $1: tables, as schema.table. One row an index: table, name, access method, key
-- columns ('' for an expression, and where operator class or collation is not the column's own) with their
-- directions and places of NULL, whether it is partial, whether it can be used, and which columns cannot be
-- NULL.
SELECT n.nspname || '.' || c.relname, x.relname::text, am.amname::text, k.columns, k.descending, k.nulls_first,
       i.indpred IS NOT NULL, i.indisvalid AND i.indisready AND i.indislive, k.not_null
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_index i ON i.indrelid = c.oid
JOIN pg_class x ON x.oid = i.indexrelid
JOIN pg_am am ON am.oid = x.relam
CROSS JOIN LATERAL (
    -- indkey, indoption, indclass and indcollation count from 0; indoption has bit 1 for DESC, bit 2 for NULLS FIRST
    SELECT array_agg(CASE WHEN o.opcdefault AND i.indcollation[p] IN (0, a.attcollation)
                           AND NOT EXISTS (SELECT FROM pg_opclass d
                                           WHERE d.opcmethod = o.opcmethod AND d.opcdefault
                                             AND d.opcintype = a.atttypid AND d.oid <> o.oid)
                          THEN a.attname::text ELSE '' END ORDER BY p) AS columns,
           array_agg((i.indoption[p] & 1) <> 0 ORDER BY p) AS descending,
           array_agg((i.indoption[p] & 2) <> 0 ORDER BY p) AS nulls_first,
           coalesce(array_agg(a.attname::text) FILTER (WHERE a.attnotnull), '{}') AS not_null
    FROM generate_series(0, i.indnkeyatts - 1) AS p
    JOIN pg_opclass o ON o.oid = i.indclass[p]
    LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p] AND a.attnum <> 0
) k
WHERE n.nspname || '.' || c.relname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'm')
ORDER BY 1, 2
