-- _key_columns returns the columns of a table's key, in the key's order. The key is the primary
-- key, or else the unique index with the fewest columns. Such an index must be immediate and not
-- partial, and its columns must be NOT NULL. INCLUDE columns are not part of the key. The result is
-- empty if the table has no key.
CREATE OR REPLACE FUNCTION retention._key_columns(p_table oid) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT coalesce((
        SELECT k.columns
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid CROSS JOIN LATERAL (
            SELECT array_agg(a.attname::text ORDER BY u.n) AS columns, bool_and(a.attnotnull) AS whole
            FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u (attnum, n)
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum AND a.attnum > 0
            WHERE u.n <= i.indnkeyatts) k
        WHERE i.indrelid = p_table AND (i.indisprimary OR i.indisunique AND i.indimmediate AND i.indisvalid
            AND i.indisready AND NOT i.indisexclusion AND i.indpred IS NULL AND i.indexprs IS NULL AND k.whole)
        ORDER BY i.indisprimary DESC, i.indnkeyatts, c.relname COLLATE "C" LIMIT 1), '{}')
$function$;
