-- Whose tables a function cannot detach or drop, because its owner is no member of that role. $1:
-- the function, with its types; $2: the policy's table, as schema.table, whose partitions count too.
-- One row per owner: one of the tables, how many there are, the owner, and the function's owner.
SELECT min(n.nspname || '.' || c.relname), count(*), pg_get_userbyid(c.relowner)::text,
       pg_get_userbyid(f.proowner)::text
FROM pg_proc f
CROSS JOIN pg_class r JOIN pg_namespace rn ON rn.oid = r.relnamespace
CROSS JOIN LATERAL (SELECT r.oid UNION SELECT p.relid FROM pg_partition_tree(r.oid) p) t
JOIN pg_class c ON c.oid = t.oid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE f.oid = to_regprocedure($1) AND rn.nspname || '.' || r.relname = $2 AND r.relkind IN ('r', 'p')
  AND NOT pg_has_role(f.proowner, c.relowner, 'USAGE')
GROUP BY c.relowner, f.proowner
ORDER BY 3
