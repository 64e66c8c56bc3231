-- Returns the functions and procedures of the runtime that are missing or differ.
-- $1: the runtime's schema
-- $2: the expected routines, an array of objects with the parts of CREATE FUNCTION and these keys:
--   - name: with argument types, so that PostgreSQL finds the routine
--   - owner: "" if any role may own the routine
--   - table: the policy's table as schema.table, or ""
-- Columns of the result:
-- - n: the position of the routine in $2
-- - fault: "missing", "definition", "settings" or "owner"
-- - parts: the parts of the definition that differ, for example "body"
-- - want, got: the expected and the present values of these parts; of the body, the first line that
--   differs
-- - line: the number of this line, 0 if the body is the same
-- - sql: the routine as SQL, '' if it is missing
-- Types that are qualified with a schema are compared as text and without a modifier. So the role
-- needs no USAGE on that schema. Defaults are compared without casts and brackets.
-- If the policy's table was renamed, its row type has another name as well. The query then does not
-- compare the parameter list and the result.
WITH wanted AS (
    SELECT x.place::integer AS n, x.want, x.want ->> 'name' AS name, x.want ->> 'kind' AS kind,
           to_regprocedure(x.want ->> 'name')::oid AS oid,
           x.want ->> 'table' <> '' AND x.want ->> 'table' NOT IN (
               SELECT s.nspname || '.' || c.relname
               FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) AS table_gone
    FROM jsonb_array_elements($2) WITH ORDINALITY AS x (want, place)
), declared AS (
    SELECT w.n, w.kind, p.place, p.value ->> 'mode' AS mode, p.value ->> 'name' AS name, p.value ->> 'type' AS type,
           p.value ->> 'default' AS value, p.value ->> 'mode' IN ('OUT', 'INOUT', 'TABLE') AS output
    FROM wanted w CROSS JOIN LATERAL jsonb_array_elements(w.want -> 'parameters') WITH ORDINALITY AS p (value, place)
), printed AS ( -- each type is looked up once
    SELECT t.type, CASE WHEN t.type ~ '^pg_catalog\.' OR t.type !~ '\.'
                        THEN coalesce(format_type(to_regtype(t.type), NULL), t.type)
                        WHEN t.type ~ '"' THEN t.type
                        ELSE regexp_replace(t.type, '\([^)]*\)', '') END AS text
    FROM (SELECT d.type FROM declared d
          UNION
          SELECT w.want ->> 'returns' FROM wanted w WHERE w.want ->> 'returns' NOT IN ('', 'TABLE')) t
), signature AS (
    SELECT d.n, string_agg(concat_ws(' ', nullif(d.mode, 'IN'), nullif(d.name, ''), t.text), ', ' ORDER BY d.place)
               AS parameters,
           string_agg(nullif(d.value, ''), ', ' ORDER BY d.place) AS defaults,
           CASE WHEN NOT bool_or(d.output) THEN 'void'
                WHEN d.kind = 'function' AND count(*) FILTER (WHERE d.output) = 1
                THEN min(t.text) FILTER (WHERE d.output)
                ELSE 'record' END AS result
    FROM declared d JOIN printed t ON t.type = d.type GROUP BY d.n, d.kind
), live AS (
    SELECT p.oid, p.proname AS name,
           CASE p.prokind WHEN 'f' THEN 'function' WHEN 'p' THEN 'procedure' ELSE 'aggregate' END AS kind,
           l.lanname AS language, replace(p.prosrc, E'\r\n', E'\n') AS body, pg_get_userbyid(p.proowner) AS owner,
           (SELECT string_agg(concat_ws(' ', CASE a.mode WHEN 'o' THEN 'OUT' WHEN 'b' THEN 'INOUT'
                                                         WHEN 'v' THEN 'VARIADIC' WHEN 't' THEN 'TABLE' END,
                                        nullif(a.name, ''), format_type(a.type, NULL)), ', ' ORDER BY a.place)
            FROM ROWS FROM (unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])), unnest(p.proargmodes),
                            unnest(p.proargnames)) WITH ORDINALITY AS a (type, mode, name, place)) AS parameters,
           coalesce(pg_get_expr(p.proargdefaults, 'pg_proc'::regclass), '') AS defaults,
           CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END
           || coalesce(format_type(nullif(p.prorettype, 0), NULL), 'void') AS result,
           concat_ws(' ', CASE WHEN p.prosecdef THEN 'SECURITY DEFINER' ELSE 'SECURITY INVOKER' END,
               CASE p.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END,
               CASE WHEN p.proisstrict THEN 'STRICT' END, CASE WHEN p.proleakproof THEN 'LEAKPROOF' END,
               CASE p.proparallel WHEN 's' THEN 'PARALLEL SAFE' WHEN 'r' THEN 'PARALLEL RESTRICTED' END,
               'COST ' || nullif(p.procost, 100),
               'ROWS ' || nullif(p.prorows, CASE WHEN p.proretset THEN 1000 ELSE 0 END),
               CASE WHEN p.prosupport <> 0 THEN 'SUPPORT ' || p.prosupport END,
               (SELECT string_agg(format('SET %s=%s', lower(split_part(s, '=', 1)), substr(s, strpos(s, '=') + 1)), ' '
                                  ORDER BY lower(s) COLLATE "C") FROM unnest(p.proconfig) s)) AS options
    FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
    WHERE s.nspname = $1 AND p.oid IN (SELECT w.oid FROM wanted w)
), facet AS (
    SELECT w.n, f.fault, f.place, f.what, CASE f.what WHEN 'body' THEN line.want ELSE f.want END AS want,
           CASE f.what WHEN 'body' THEN line.got ELSE f.got END AS got, line.n AS line
    FROM wanted w JOIN live l ON l.oid = w.oid
    LEFT JOIN signature s ON s.n = w.n LEFT JOIN printed r ON r.type = w.want ->> 'returns'
    CROSS JOIN LATERAL (VALUES
        ('definition', 1, 'kind', w.want ->> 'kind', l.kind),
        ('definition', 2, 'language', w.want ->> 'language', l.language),
        ('definition', 3, 'parameter list', coalesce(s.parameters, ''), coalesce(l.parameters, '')),
        ('definition', 4, 'default', coalesce(s.defaults, ''), l.defaults),
        ('definition', 5, 'result', CASE WHEN w.want -> 'set' = 'true' THEN 'SETOF ' ELSE '' END
                              || coalesce(r.text, s.result, 'void'), l.result),
        ('definition', 6, 'body', w.want ->> 'body', l.body),
        ('settings', 1, 'settings', concat_ws(' ',
            CASE WHEN w.want -> 'clauses' ? 'SECURITY DEFINER' THEN 'SECURITY DEFINER' ELSE 'SECURITY INVOKER' END,
            CASE WHEN w.want -> 'clauses' ? 'IMMUTABLE' THEN 'IMMUTABLE'
                 WHEN w.want -> 'clauses' ? 'STABLE' THEN 'STABLE' ELSE 'VOLATILE' END,
            CASE WHEN w.want -> 'clauses' ? 'STRICT' THEN 'STRICT' END,
            (SELECT c FROM jsonb_array_elements_text(w.want -> 'clauses') c WHERE c LIKE 'ROWS %'),
            (SELECT string_agg('SET ' || s, ' ' ORDER BY lower(s) COLLATE "C")
             FROM jsonb_array_elements_text(w.want -> 'settings') s)), l.options),
        ('owner', 1, 'owner', nullif(w.want ->> 'owner', ''), l.owner)
    ) AS f (fault, place, what, want, got)
    LEFT JOIN LATERAL ( -- the first line that differs
        SELECT x.n, coalesce(btrim(x.want), '') AS want, coalesce(btrim(x.got), '') AS got
        FROM ROWS FROM (unnest(string_to_array(f.want, E'\n')), unnest(string_to_array(f.got, E'\n')))
             WITH ORDINALITY AS x (want, got, n)
        WHERE f.what = 'body' AND f.want <> f.got AND x.want IS DISTINCT FROM x.got ORDER BY x.n LIMIT 1) line ON true
    WHERE CASE WHEN f.what <> 'default'
               THEN f.want <> f.got AND NOT (w.table_gone AND f.what IN ('parameter list', 'result'))
               ELSE regexp_replace(f.want, '\minterval\M|\mpg_catalog\.|[() ]', '', 'g')
                    <> regexp_replace(f.got, '(NULL|'')::[a-z ]+(\[\])?|[() ]', '\1', 'g') END
)
SELECT w.n, 'missing' AS fault, '{}'::text[] AS parts, '{}'::text[] AS want, '{}'::text[] AS got, 0 AS line,
       '' AS sql
FROM wanted w WHERE NOT EXISTS (SELECT FROM live l WHERE l.oid = w.oid)
UNION ALL
SELECT w.n, f.fault, array_agg(f.what ORDER BY f.place), array_agg(f.want ORDER BY f.place),
       array_agg(f.got ORDER BY f.place), coalesce(max(f.line), 0), w.oid::regprocedure::text
FROM wanted w JOIN facet f ON f.n = w.n GROUP BY w.n, w.oid, f.fault
ORDER BY 1, 2
