-- Reads indexes, except those that pgretain made: their comment, or that of the partitioned index
-- they belong to, begins with "pgretain".
-- $1 oid[]: of which tables.
-- Returns the table's oid, name, definition, access method, key columns ('' for an expression) with
-- their directions and places of NULL, whether unique (as ON CONFLICT wants it: at once, and by equality, which a key
-- WITHOUT OVERLAPS of PostgreSQL 18 does not go by), primary, the predicate ('' for none), and
-- whether it can serve queries: invalid ones are left-overs or still being built.
SELECT i.indrelid,
       c.relname::text,
       pg_get_indexdef(i.indexrelid),
       am.amname::text,
       keys.columns,
       keys.descending,
       keys.nulls_first,
       i.indisunique AND i.indimmediate AND NOT i.indisexclusion,
       i.indisprimary,
       CASE WHEN i.indpred IS NULL THEN '' ELSE pg_get_expr(i.indpred, i.indrelid) END,
       i.indisvalid AND i.indisready
  FROM pg_index AS i
  JOIN pg_class AS c ON c.oid = i.indexrelid
  JOIN pg_am AS am ON am.oid = c.relam
 CROSS JOIN LATERAL (
    -- indkey and indoption count from 0; indoption has bit 1 for DESC, bit 2 for NULLS FIRST
    SELECT array_agg(coalesce(a.attname::text, '') ORDER BY k) AS columns,
           array_agg((i.indoption[k] & 1) <> 0 ORDER BY k) AS descending,
           array_agg((i.indoption[k] & 2) <> 0 ORDER BY k) AS nulls_first
      FROM generate_series(0, i.indnkeyatts - 1) AS k
      LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] AND a.attnum <> 0
 ) AS keys
 WHERE i.indrelid = ANY ($1::oid[])
   AND i.indislive
   AND coalesce(obj_description(i.indexrelid, 'pg_class'), '') NOT LIKE 'pgretain%'
   AND NOT EXISTS (
        SELECT FROM pg_partition_ancestors(i.indexrelid) AS ancestor (oid)
         WHERE obj_description(ancestor.oid, 'pg_class') LIKE 'pgretain%')
 ORDER BY i.indrelid, c.relname COLLATE "C";
