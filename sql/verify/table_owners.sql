-- Returns tables that a function cannot detach or drop, because its owner is not a member of the
-- table's owner. The query locks no table.
-- $1: an array of objects with these keys:
--   - function: with its argument types
--   - table: as schema.table. Its partitions are checked as well.
-- The result has one row for each function and each owner of such tables:
-- n: the position in $1
-- owner: who owns the tables
-- member: who owns the function
-- heir: the role that should own the tables
-- tables: how many
-- first: the first of these tables
-- named: the first 50 of these tables, as SQL
WITH RECURSIVE wanted AS (
    SELECT w.n, c.oid, f.proowner,
           CASE WHEN pg_has_role(f.proowner, c.relowner, 'USAGE') THEN c.relowner ELSE f.proowner END AS heir
    FROM ROWS FROM (jsonb_to_recordset($1) AS (function text, "table" text))
         WITH ORDINALITY AS w (function, name, n)
    JOIN pg_proc f ON f.oid = to_regprocedure(w.function)
    JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
      ON s.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p')
), part AS (
    SELECT * FROM wanted
    UNION
    SELECT p.n, i.inhrelid, p.proowner, p.heir
    FROM part p JOIN pg_inherits i ON i.inhparent = p.oid
    JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
)
SELECT p.n::integer AS n, pg_get_userbyid(c.relowner)::text AS owner, pg_get_userbyid(p.proowner)::text AS member,
       pg_get_userbyid(p.heir)::text AS heir, count(*) AS tables, min(n.nspname || '.' || c.relname) AS first,
       (array_agg(format('%I.%I', n.nspname, c.relname) ORDER BY n.nspname, c.relname))[1:50] AS named
FROM part p
JOIN pg_class c ON c.oid = p.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT pg_has_role(p.proowner, c.relowner, 'USAGE')
GROUP BY p.n, c.relowner, p.proowner, p.heir
ORDER BY 1
