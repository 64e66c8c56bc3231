-- Returns the errors of plpgsql_check in the routines of schema $1. The query leaves out two kinds
-- of errors that do not make a call fail. _run_all executes a COMMIT that always fails, and catches
-- the error. Functions that use schema cron first check whether this schema exists.
SELECT p.proname::text AS name, p.oid::regprocedure::text AS routine, coalesce(c.lineno, 0) AS line, c.message,
       coalesce(c.sqlstate, '') AS sqlstate, coalesce(c.detail, '') AS detail, coalesce(c.hint, '') AS hint
FROM pg_proc p
JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = $1
CROSS JOIN LATERAL rehearsal.plpgsql_check_function_tb(
    p.oid, fatal_errors := false, other_warnings := false, extra_warnings := false, performance_warnings := false) c
WHERE c.level = 'error'
  AND NOT (c.sqlstate = '2D000' AND p.proname = '_run_all')
  AND NOT (to_regnamespace('cron') IS NULL
           AND (c.sqlstate = '42P01' AND c.message LIKE '%"cron.%'
                OR c.sqlstate = '3F000' AND c.message LIKE '%"cron"%'))
ORDER BY p.oid::regprocedure::text, c.lineno, c.message
