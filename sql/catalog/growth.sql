-- Returns how large tables are and how they grow, one row for each table. A partitioned table
-- includes its partitions.
-- $1 text[]: tables, as schema.table
-- Columns of the result:
-- - schema.name
-- - the roles that own the table or its schema, without superusers
-- - its size in bytes
-- - its size as text
-- - its estimated rows, NULL if unknown
-- - the rows inserted since statistics began
WITH RECURSIVE tree (root, oid) AS (
    SELECT c.oid, c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE n.nspname || '.' || c.relname = ANY ($1::text[])
    UNION ALL
    SELECT tree.root, i.inhrelid
      FROM tree
      JOIN pg_inherits AS i ON i.inhparent = tree.oid
      JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
),
leaf AS (
    SELECT tree.root,
           sum(pg_total_relation_size(c.oid))::bigint AS bytes,
           sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint
                    ELSE nullif(pg_stat_get_live_tuples(c.oid), 0) END)::bigint AS rows,
           sum(pg_stat_get_tuples_inserted(c.oid))::bigint AS inserted
      FROM tree
      JOIN pg_class AS c ON c.oid = tree.oid AND c.relkind = 'r'
     GROUP BY tree.root
)
SELECT n.nspname || '.' || c.relname,
       ARRAY(SELECT r.rolname::text
               FROM pg_roles AS r
              WHERE NOT r.rolsuper
                AND (r.oid IN (c.relowner, n.nspowner) AND r.rolname <> 'pg_database_owner'
                     OR r.oid = d.datdba AND n.nspowner = 'pg_database_owner'::regrole)
              ORDER BY 1),
       coalesce(leaf.bytes, 0),
       pg_size_pretty(coalesce(leaf.bytes, 0)),
       leaf.rows,
       coalesce(leaf.inserted, 0)
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_database AS d ON d.datname = current_database()
  LEFT JOIN leaf ON leaf.root = c.oid
 WHERE n.nspname || '.' || c.relname = ANY ($1::text[]);
