-- Reads how Citus distributes tables.
-- $1 oid[]: which.
-- Returns one row each for those that it does: oid, kind ("hash": by a column, each shard in one place; "reference"; "other"),
-- the column ('' for none), and the first by name of the tables whose rows lie together.
SELECT p.logicalrelid::oid,
       k.kind,
       CASE k.kind WHEN 'hash' THEN column_to_column_name(p.logicalrelid, p.partkey) ELSE '' END,
       CASE k.kind WHEN 'hash' THEN (
           SELECT min(concat(n.nspname, '.', c.relname) COLLATE "C")
             FROM pg_dist_partition AS q JOIN pg_class AS c ON c.oid = q.logicalrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE q.colocationid = p.colocationid AND q.partmethod = 'h') ELSE '' END
  FROM pg_dist_partition AS p
 CROSS JOIN LATERAL (SELECT CASE WHEN p.partmethod = 'h' AND p.repmodel = 's' THEN 'hash'
                                 WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN 'reference' ELSE 'other' END AS kind) AS k
 WHERE p.logicalrelid = ANY ($1::oid[]);
