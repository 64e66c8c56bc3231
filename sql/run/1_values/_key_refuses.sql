-- Whether what ON DELETE SET NULL or SET DEFAULT of a foreign key writes is refused, so that it keeps what is referred
-- to: NULL in a column that is NOT NULL (23502). NULL where only some partitions refuse. Reads the catalog only.
CREATE OR REPLACE FUNCTION retention._key_refuses(p_key oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN bool_or(x.strict AND x.own) THEN true WHEN bool_or(x.strict) THEN NULL ELSE false END
    FROM (SELECT a.attnotnull OR t.typnotnull AS strict, a.attrelid = k.conrelid AS own FROM pg_constraint k
          JOIN pg_attribute w ON w.attrelid = k.conrelid AND w.attnum = ANY (coalesce(k.confdelsetcols, k.conkey))
          JOIN pg_attribute a ON a.attname = w.attname
                             AND a.attrelid IN (SELECT k.conrelid UNION SELECT p.relid
                                 FROM pg_partition_tree(k.conrelid) p)
          JOIN pg_type t ON t.oid = a.atttypid
          WHERE k.oid = p_key AND (k.confdeltype = 'n' OR k.confdeltype = 'd' AND NOT w.atthasdef
              AND w.attidentity = '')) x
$function$;
