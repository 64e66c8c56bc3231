-- Whose tables functions cannot detach or drop, because their owner is no member of that role. $1:
-- functions, with their types; $2: the table of each one's policy, as schema.table, whose partitions count
-- too. One row per function and owner: the function's place, one of the tables, how many there are,
-- the owner, and the function's owner. No table is locked.
WITH RECURSIVE wanted AS (
    SELECT w.n, c.oid, f.proowner
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (function, name, n)
    JOIN pg_proc f ON f.oid = to_regprocedure(w.function)
    JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
      ON s.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p')
), part AS (
    SELECT w.n, w.oid, w.proowner FROM wanted w
    UNION
    SELECT p.n, i.inhrelid, p.proowner
    FROM part p JOIN pg_inherits i ON i.inhparent = p.oid
    JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
)
SELECT p.n::integer, min(n.nspname || '.' || c.relname), count(*), pg_get_userbyid(c.relowner)::text,
       pg_get_userbyid(p.proowner)::text
FROM part p
JOIN pg_class c ON c.oid = p.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT pg_has_role(p.proowner, c.relowner, 'USAGE')
GROUP BY p.n, c.relowner, p.proowner
ORDER BY 1, 4
