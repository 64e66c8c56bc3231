-- Returns the triggers of the application that fire in ordinary sessions, if they may keep rows, or
-- run with a role or search path for which they were not written. There is one row for each policy,
-- table and trigger: the most severe of all partitions and events.
-- $1: the result of query reach
-- $2: an array of policies, each with the triggers that it accepts
-- $3: the catalog snapshot
-- Columns of the result:
-- - policy, table, name: the policy, the table and the trigger
-- - event: DELETE, UPDATE or INSERT
-- - function, signature: its function, as schema.name and as SQL
-- - definer, own_path: true if the function is SECURITY DEFINER, and if it sets a search path
-- - keeps: true if it may return NULL, so that a row stays
-- - refuses: true if it may raise an error
-- - denied: the error of the last run about a privilege that it needs, '' if there was none
-- - way: the foreign key that leads to the rows, '' if there is none
-- - new: true if the snapshot does not have the trigger
-- A trigger that the policy accepts is returned if it needs a privilege that the worker lacks.
-- The message of the last run tells the object, and the function of the trigger names it.
-- A BEFORE DELETE trigger keeps no row if each RETURN of its function is RETURN OLD. A function
-- without RETURN raises an error at its end.
WITH RECURSIVE denied AS (
    SELECT s.policy, m[1] AS said, m[2] AS name
    FROM retention.job_status s
    CROSS JOIN LATERAL (
        SELECT s.last_message UNION ALL
        SELECT b.message FROM retention.batch b WHERE b.run_id = s.refused_run AND b.refused > 0) x (message)
    CROSS JOIN LATERAL regexp_match(x.message,
        '(permission denied for (?:table|sequence|schema|view|function) (\w+))') m
    WHERE NOT s.superseded AND m IS NOT NULL
    GROUP BY 1, 2, 3
), declared (oid, root) AS (
    SELECT t.oid, t.oid FROM pg_trigger t WHERE t.tgparentid = 0 AND NOT t.tgisinternal
    UNION ALL
    SELECT t.oid, d.root FROM declared d JOIN pg_trigger t ON t.tgparentid = d.oid
), fires AS (
    SELECT e.policy, e.event, e.way, r.tgname::text AS name, n.nspname || '.' || c.relname AS on_table,
           pg_get_triggerdef(r.oid) AS definition, t.tgtype & 1 <> 0 AS each_row, t.tgtype & 3 = 3 AS before_row,
           l.lanname = 'plpgsql' AND f.prosrc !~ '\$[A-Za-z_]\w*\$' AS legible,
           fn.nspname || '.' || f.proname AS function, f.oid::regprocedure::text AS signature, need.said AS denied,
           f.prosecdef AS definer,
           EXISTS (SELECT FROM unnest(f.proconfig) s WHERE s LIKE 'search\_path=%') AS own_path,
           -- the body without constants, quoted names and comments:
           regexp_replace(lower(f.prosrc), '\me''([^''\\]|\\.|'''')*''|''([^'']|'''')*''|"[^"]*"|\$\$([^$]|\$[^$])*\$\$'
                                          '|--[^\n]*|/\*([^*]|\*+[^*/])*\*+/', ' ', 'g') AS body
    FROM jsonb_to_recordset($1::jsonb -> 'effects') AS e (policy text, rel oid, event text, named boolean, way text)
    JOIN pg_trigger t ON t.tgrelid = e.rel AND t.tgenabled IN ('O', 'A') AND (e.named OR t.tgtype & 1 <> 0)
                     AND t.tgtype & CASE e.event WHEN 'DELETE' THEN 8 WHEN 'UPDATE' THEN 16 WHEN 'INSERT' THEN 4
                         ELSE 0 END <> 0
    JOIN declared d ON d.oid = t.oid JOIN pg_trigger r ON r.oid = d.root
    JOIN pg_class c ON c.oid = r.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_namespace fn ON fn.oid = f.pronamespace
        JOIN pg_language l ON l.oid = f.prolang
    LEFT JOIN LATERAL (SELECT min(x.said) AS said FROM denied x
                       WHERE x.policy = e.policy AND NOT f.prosecdef
                         AND f.prosrc ~* ('\m' || x.name || '\M')) need ON true
    WHERE need.said IS NOT NULL OR NOT EXISTS (SELECT FROM jsonb_to_recordset($2) AS a (policy text, triggers jsonb)
                      WHERE a.policy = e.policy AND a.triggers ? r.tgname)
), evaluated AS (
    SELECT f.*, f.before_row AND (f.event <> 'DELETE' OR NOT f.legible OR f.body ~ '\mreturn\M(?!\s+old\M)') AS keeps,
           CASE WHEN f.legible THEN f.body ~ '\mraise\M(?!\s+(debug|log|info|notice|warning)\M)'
               OR f.body !~ '\mreturn\M'
                ELSE NOT f.before_row END AS refuses,
           f.event = 'DELETE' AND f.each_row AND s.name IS NOT NULL
           AND (s.triggers @> jsonb_build_array(jsonb_build_object('definition', f.definition))) IS NOT TRUE AS new
    FROM fires f LEFT JOIN jsonb_to_recordset($3::jsonb -> 'tables') AS s (schema text, name text, triggers jsonb)
                        ON s.schema || '.' || s.name = f.on_table
)
SELECT DISTINCT ON (j.policy, j.on_table, j.name) j.policy, j.on_table AS "table", j.name, j.event, j.function,
       j.signature, j.definer, j.own_path, j.keeps, j.refuses, coalesce(j.denied, '') AS denied, j.way, j.new
FROM evaluated j
WHERE j.keeps OR j.refuses OR NOT j.definer OR NOT j.own_path
ORDER BY j.policy, j.on_table, j.name, j.denied IS NULL, j.new DESC, j.keeps DESC, j.way, j.event
