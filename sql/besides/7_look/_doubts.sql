-- Notes against all numbers, before a run that does what was found (p_found of _radius): what may refuse rows.
CREATE OR REPLACE FUNCTION retention._doubts(p_policy text, p_found jsonb, p_as_of timestamptz) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH found AS (
        SELECT DISTINCT f.step, f.verb, f.table_name
            FROM jsonb_to_recordset(p_found) f(step integer, verb text, table_name text, n bigint)
        WHERE f.n > 0 AND f.verb IN ('update', 'insert', 'archive')
    )
    SELECT w.why FROM retention.policy p CROSS JOIN LATERAL jsonb_array_elements(p.steps) e
    CROSS JOIN LATERAL retention._may_refuse(retention._table(e ->> 'table'), e -> 'set', p_as_of) w(why)
    WHERE p.name = p_policy AND e ? 'set' AND EXISTS (
        SELECT FROM found f WHERE f.step = (e ->> 'step')::integer AND f.verb = 'update')
    UNION ALL
    SELECT format('constraint "%s" of %s may refuse rows', k.conname, retention._table_name(k.conrelid))
    FROM (SELECT DISTINCT f.verb, retention._table(f.table_name) AS rel FROM found f WHERE f.verb <> 'update') t
    JOIN pg_constraint k ON k.conrelid = t.rel
    WHERE (k.contype = 'x' OR k.contype = 'c' AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true))
      -- What holds for the rows that are archived holds for their copies, under the same names.
      AND NOT (t.verb = 'archive' AND k.contype = 'c' AND EXISTS (
          SELECT FROM retention.policy p CROSS JOIN LATERAL unnest(p.table_name || p.related) s(name)
          JOIN pg_constraint o ON o.conrelid = retention._table(s.name) AND o.contype = 'c' AND o.convalidated
                              AND coalesce((to_jsonb(o) ->> 'conenforced')::boolean, true)
          WHERE p.name = p_policy AND pg_get_expr(o.conbin, o.conrelid) = pg_get_expr(k.conbin, k.conrelid)
            AND NOT EXISTS (SELECT FROM jsonb_array_elements(p.steps) e WHERE retention._table(e ->> 'table') = t.rel
                AND e -> 'other' ?| ARRAY(SELECT a.attname::text FROM pg_attribute a
                                          WHERE a.attrelid = t.rel AND a.attnum = ANY (k.conkey)))))
$function$;
