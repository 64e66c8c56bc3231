-- Returns the functions of the application, in PL/pgSQL and SQL, that expressions of policies call
-- with the worker's rights: they are not SECURITY DEFINER. If several functions have the name and
-- take that many arguments, the query returns none of them.
-- $1: the calls: schema ('' if the search path decides), function, number of arguments, and name,
--   which is the policy
-- $2: the search path of the worker
-- $3: the schema of the runtime, whose functions have checks of their own
-- The columns of the result are those of query invoked; event, trigger and table are ''.
WITH candidate AS (
    SELECT c.name AS policy, p.oid, p.prosecdef, p.prolang, p.proconfig, count(*) OVER (PARTITION BY c.n) AS candidates
    FROM ROWS FROM (jsonb_to_recordset($1) AS (schema text, function text, arguments integer, name text))
         WITH ORDINALITY AS c (schema, function, arguments, name, n)
    JOIN pg_proc p ON p.proname = c.function AND p.prokind = 'f' AND c.arguments >= p.pronargs - p.pronargdefaults
                  AND (c.arguments <= p.pronargs OR p.provariadic <> 0)
    JOIN pg_namespace s ON s.oid = p.pronamespace AND s.nspname <> $3::text
                       AND (s.nspname = c.schema OR c.schema = ''
                            AND s.nspname = ANY (array_prepend('pg_catalog', $2::text[])))
)
SELECT DISTINCT c.policy, '', '', '', c.oid::regprocedure::text, pg_get_functiondef(c.oid),
       coalesce(own.path, $2::text[])
FROM candidate c
JOIN pg_language l ON l.oid = c.prolang AND l.lanname IN ('plpgsql', 'sql')
JOIN pg_proc p ON p.oid = c.oid AND p.pronamespace <> 'pg_catalog'::regnamespace
LEFT JOIN LATERAL (
    SELECT array_agg(btrim(x.name, ' "')) AS path
    FROM unnest(c.proconfig) s, regexp_split_to_table(substr(s, length('search_path=') + 1), ',') x (name)
    WHERE starts_with(s, 'search_path=') HAVING count(*) > 0) own ON true
WHERE c.candidates = 1 AND NOT c.prosecdef
ORDER BY 1, 5
