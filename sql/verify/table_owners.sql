-- Findings on tables that a function cannot detach or drop, because its owner is not a member of
-- the table's owner. The query locks no table.
-- $1: an array of objects with these keys:
--   - function: with its argument types
--   - policy
--   - table: as schema.table. Its partitions are checked as well.
WITH RECURSIVE wanted AS (
    SELECT w.n, w.function, w.policy, c.oid, f.proowner,
           CASE WHEN pg_has_role(f.proowner, c.relowner, 'USAGE') THEN c.relowner ELSE f.proowner END AS heir
    FROM ROWS FROM (jsonb_to_recordset($1) AS (function text, policy text, "table" text))
         WITH ORDINALITY AS w (function, policy, name, n)
    JOIN pg_proc f ON f.oid = to_regprocedure(w.function)
    JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
      ON s.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p')
), part AS (
    SELECT * FROM wanted
    UNION
    SELECT p.n, p.function, p.policy, i.inhrelid, p.proowner, p.heir
    FROM part p JOIN pg_inherits i ON i.inhparent = p.oid
    JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
)
SELECT x.n::integer AS place,
       format('policy "%s" cannot detach or drop tables of role "%s", who owns "%s"', x.policy, x.owner,
           x.first) AS message,
       format('Function "%s" belongs to role "%s", which is no member of it. This is so for %s. Give the tables one owner.',
              x.function, x.member, x.count || CASE x.count WHEN 1 THEN ' table' ELSE ' tables' END) AS detail,
       x.alter || CASE WHEN x.count > 50 THEN format(' -- and %s more', x.count - 50) ELSE '' END AS hint
FROM (SELECT p.n, p.function, p.policy, min(n.nspname || '.' || c.relname) AS first, count(*) AS count,
             array_to_string((array_agg(format('ALTER TABLE %I.%I OWNER TO %I;', n.nspname, c.relname,
                 pg_get_userbyid(p.heir))
                 ORDER BY n.nspname, c.relname))[1:50], ' ') AS alter,
             pg_get_userbyid(c.relowner) AS owner, pg_get_userbyid(p.proowner) AS member
      FROM part p
      JOIN pg_class c ON c.oid = p.oid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE NOT pg_has_role(p.proowner, c.relowner, 'USAGE')
      GROUP BY p.n, p.function, p.policy, c.relowner, p.proowner) x
ORDER BY 1, 2
