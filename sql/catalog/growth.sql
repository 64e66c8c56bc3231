-- Reads how large tables are and how they grow.
-- $1 oid[]: which; partitions count with their table.
-- Returns for each: schema.name; the roles that own it and its schema, superusers left out; its size in bytes, and
-- as people read it, NULL where asking would wait for somebody's ACCESS EXCLUSIVE lock; about how many rows there are, NULL where nobody knows; how many
-- rows were inserted since statistics began.
WITH RECURSIVE tree (root, oid) AS (
    SELECT asked.oid, asked.oid FROM unnest($1::oid[]) AS asked (oid)
    UNION ALL
    SELECT tree.root, i.inhrelid
      FROM tree
      JOIN pg_inherits AS i ON i.inhparent = tree.oid
      JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
),
locked AS MATERIALIZED (
    SELECT DISTINCT l.relation AS oid
      FROM pg_locks AS l
      JOIN pg_database AS d ON d.oid = l.database AND d.datname = current_database()
     WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
),
leaf AS (
    SELECT tree.root,
           bool_or(locked.oid IS NOT NULL) AS locked,
           array_agg(c.oid) AS oids,
           sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint
                    ELSE nullif(pg_stat_get_live_tuples(c.oid), 0) END)::bigint AS rows,
           sum(pg_stat_get_tuples_inserted(c.oid))::bigint AS inserted
      FROM tree
      JOIN pg_class AS c ON c.oid = tree.oid AND c.relkind = 'r'
      LEFT JOIN locked ON locked.oid = c.oid
     GROUP BY tree.root
)
SELECT n.nspname || '.' || c.relname,
       ARRAY(SELECT DISTINCT r.rolname::text
               FROM pg_roles AS r
              WHERE NOT r.rolsuper
                AND r.oid IN (c.relowner, CASE WHEN n.nspowner = 'pg_database_owner'::regrole THEN d.datdba ELSE n.nspowner END)
              ORDER BY 1),
       size.bytes,
       pg_size_pretty(size.bytes),
       leaf.rows,
       coalesce(leaf.inserted, 0)
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_database AS d ON d.datname = current_database()
  LEFT JOIN leaf ON leaf.root = c.oid
 CROSS JOIN LATERAL (
    SELECT sum(CASE WHEN NOT leaf.locked THEN pg_total_relation_size(o.oid) END)::bigint AS bytes
      FROM unnest(leaf.oids) AS o (oid)
 ) AS size
 WHERE c.oid = ANY ($1::oid[]);
