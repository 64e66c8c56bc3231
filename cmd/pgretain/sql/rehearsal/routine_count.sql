-- Returns the number of plpgsql routines in schema $1.
SELECT count(*)
FROM pg_proc p
JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = $1
