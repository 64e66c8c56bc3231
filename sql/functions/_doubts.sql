-- What nobody can know before a run that does what was found (p_found of _radius): the tables that foreign keys carry a
-- step's update to, and notes against all numbers for what may refuse rows.
CREATE OR REPLACE FUNCTION retention._doubts(p_policy text, p_found jsonb, p_as_of timestamptz)
RETURNS TABLE (step integer, key integer, verb text, rel oid, path text, note text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH found AS (
        SELECT DISTINCT f.step, f.verb, f.table_name
            FROM jsonb_to_recordset(p_found) f(step integer, verb text, table_name text, n bigint)
        WHERE f.n > 0 AND f.verb IN ('update', 'insert', 'archive')
    ), entry AS (
        SELECT (e ->> 'step')::integer AS step, e AS whole, e -> 'set' AS set, t.oid AS rel
        FROM retention.policy p CROSS JOIN LATERAL jsonb_array_elements(p.sets) e
        JOIN pg_namespace s ON starts_with(e ->> 'table', s.nspname || '.')
        JOIN pg_class t ON t.relnamespace = s.oid AND s.nspname || '.' || t.relname = e ->> 'table'
        WHERE p.name = p_policy AND EXISTS (SELECT FROM found f WHERE f.step = (e ->> 'step')::integer
            AND f.verb = 'update')
    ), carried AS (
        SELECT e.step, 9000 + row_number() OVER (ORDER BY e.step, r.path)::integer AS key, r.reached, r.path
        FROM entry e CROSS JOIN LATERAL retention._reach('{}', jsonb_build_array(e.whole)) r
    ), target AS (
        SELECT DISTINCT f.verb, t.oid AS rel FROM found f
        JOIN pg_namespace s ON starts_with(f.table_name, s.nspname || '.')
        JOIN pg_class t ON t.relnamespace = s.oid AND s.nspname || '.' || t.relname = f.table_name
        WHERE f.verb IN ('insert', 'archive')
    )
    SELECT c.step, c.key, 'update', c.reached, c.path, NULL FROM carried c
    UNION ALL
    SELECT 0, NULL, 'note', NULL, NULL, format('foreign key %s carries on what a step sets', c.path) FROM carried c
    UNION ALL SELECT 0, NULL, 'note', NULL, NULL, w.why FROM entry e CROSS
        JOIN LATERAL retention._may_refuse(e.rel, e.set, p_as_of) w(why)
    UNION ALL SELECT 0, NULL, 'note', NULL, NULL,
        format('constraint "%s" of %s may refuse rows', k.conname, retention._table_name(k.conrelid))
    FROM target t JOIN pg_constraint k ON k.conrelid = t.rel
    WHERE (k.contype = 'x' OR k.contype = 'c' AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true))
      -- What holds for the rows that are archived holds for their copies.
      AND NOT (t.verb = 'archive' AND k.contype = 'c' AND EXISTS (
          SELECT FROM retention.policy p CROSS JOIN LATERAL unnest(p.table_name || p.related) s(name)
          JOIN pg_constraint o ON o.conrelid = retention._table(s.name) AND o.contype = 'c' AND o.convalidated
                              AND coalesce((to_jsonb(o) ->> 'conenforced')::boolean, true)
          WHERE p.name = p_policy AND pg_get_expr(o.conbin, o.conrelid) = pg_get_expr(k.conbin, k.conrelid)))
$function$;
