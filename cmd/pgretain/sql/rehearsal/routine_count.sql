-- How many routines of schema $1 are in plpgsql.
SELECT count(*)
FROM pg_proc p
JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = $1
