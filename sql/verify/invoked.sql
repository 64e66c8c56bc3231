-- Returns the triggers of the application in PL/pgSQL that fire in batches with the worker's
-- rights: their functions are not SECURITY DEFINER. There is one row for each policy, trigger and
-- event.
-- $1: the result of query reach
-- $2: the search path of the worker
-- Columns of the result: the policy, the event, the trigger, its table, its function, the
-- function's definition, and the search path with which it runs
WITH RECURSIVE declared (oid, root) AS (
    SELECT t.oid, t.oid FROM pg_trigger t WHERE t.tgparentid = 0 AND NOT t.tgisinternal
    UNION ALL
    SELECT t.oid, d.root FROM declared d JOIN pg_trigger t ON t.tgparentid = d.oid
)
SELECT DISTINCT e.policy, e.event, r.tgname::text, n.nspname || '.' || c.relname, f.oid::regprocedure::text,
       pg_get_functiondef(f.oid), coalesce(own.path, $2::text[])
FROM jsonb_to_recordset($1::jsonb -> 'effects') AS e (policy text, rel oid, event text, named boolean)
JOIN pg_trigger t ON t.tgrelid = e.rel AND t.tgenabled IN ('O', 'A') AND (e.named OR t.tgtype & 1 <> 0)
                 AND t.tgtype & CASE e.event WHEN 'DELETE' THEN 8 WHEN 'UPDATE' THEN 16 WHEN 'INSERT' THEN 4
                     ELSE 0 END <> 0
JOIN declared d ON d.oid = t.oid JOIN pg_trigger r ON r.oid = d.root
JOIN pg_class c ON c.oid = r.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_proc f ON f.oid = t.tgfoid AND NOT f.prosecdef JOIN pg_language l ON l.oid = f.prolang AND l.lanname = 'plpgsql'
LEFT JOIN LATERAL (
    SELECT array_agg(btrim(x.name, ' "')) AS path
    FROM unnest(f.proconfig) s, regexp_split_to_table(substr(s, length('search_path=') + 1), ',') x (name)
    WHERE starts_with(s, 'search_path=') HAVING count(*) > 0) own ON true
ORDER BY 1, 4, 3, 2
