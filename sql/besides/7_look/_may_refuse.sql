-- What may refuse to have columns of a table set (p_set as in steps): foreign keys, CHECKs, indexes, NOT NULL,
-- domains; not what its constants are known to meet.
CREATE OR REPLACE FUNCTION retention._may_refuse(p_table oid, p_set jsonb, p_as_of timestamptz) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH below AS (
        SELECT b AS oid FROM retention._below(ARRAY[p_table]) b
    ), indexes AS (
        SELECT x.*, ARRAY(SELECT a.attname::text FROM unnest(x.indkey) WITH ORDINALITY u(n, i)
                          JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = u.n
                              WHERE u.i <= x.indnkeyatts) AS columns
        FROM below b JOIN pg_index x ON x.indrelid = b.oid AND (x.indisunique OR x.indisexclusion)
    )
    SELECT format('foreign key %s -> %s (%s) may refuse what a step sets', retention._table_name(k.confrelid),
        retention._table_name(k.conrelid), k.conname)
    FROM below b JOIN retention._keys_to(ARRAY[b.oid]) k ON k.confupdtype IN ('a', 'r')
    WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = b.oid AND a.attnum = ANY (k.confkey)
          AND p_set ? a.attname)
    UNION SELECT format('constraint "%s" of %s may refuse rows', k.conname, retention._table_name(k.conrelid))
    FROM below b JOIN pg_constraint k ON k.conrelid = b.oid AND k.contype = 'c'
    WHERE coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
      AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = b.oid AND a.attnum = ANY (k.conkey)
          AND p_set ? a.attname)
      AND retention._true_of(b.oid, format('(%s) IS NOT FALSE', pg_get_expr(k.conbin, k.conrelid)), p_set,
          p_as_of) IS NOT TRUE
    UNION SELECT format('index "%s" of %s may refuse rows', c.relname, retention._table_name(x.indrelid))
    FROM indexes x JOIN pg_class c ON c.oid = x.indexrelid
    WHERE (p_set ?| x.columns
           OR EXISTS (SELECT FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid
               AND a.attnum = d.refobjsubid
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid AND d.refobjid = x.indrelid
                          AND p_set ? a.attname))
      AND NOT (NOT x.indnullsnotdistinct
          AND EXISTS (SELECT FROM unnest(x.columns) u(name) WHERE lower(p_set ->> u.name) = 'null'))
      AND NOT (NOT x.indisexclusion AND EXISTS (  -- no two rows have the same primary key, which stays
          SELECT FROM indexes y WHERE y.indrelid = x.indrelid AND y.indisprimary AND y.columns <@ x.columns
              AND NOT p_set ?| y.columns))
      AND (x.indpred IS NULL
           OR retention._true_of(x.indrelid, format('(%s) IS TRUE', pg_get_expr(x.indpred, x.indrelid)), p_set,
               p_as_of) IS NOT FALSE)
    UNION SELECT format('column "%s" of %s may refuse values', a.attname, retention._table_name(b.oid))
    FROM below b JOIN pg_attribute a ON a.attrelid = b.oid AND p_set ? a.attname AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid WHERE a.attnotnull AND lower(p_set ->> a.attname) = 'null'
       OR t.typtype = 'd' AND retention._true_of(b.oid, format('%I IS NOT DISTINCT FROM %1$I', a.attname), p_set,
           p_as_of) IS NOT TRUE
$function$;
