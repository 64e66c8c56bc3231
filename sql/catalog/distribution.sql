-- Returns how Citus distributes tables, one row for each table.
-- Columns of the result:
-- - schema.name
-- - kind: "hash" (by a column, with each shard on one node), "reference" or "other"
-- - the distribution column, '' if there is none
-- - the first table, by name, of its colocation group
WITH distributed AS (
    SELECT p.*, n.nspname || '.' || c.relname AS name,
           CASE WHEN p.partmethod = 'h' AND p.repmodel = 's' THEN 'hash'
                WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN 'reference' ELSE 'other' END AS kind
      FROM pg_dist_partition AS p
      JOIN pg_class AS c ON c.oid = p.logicalrelid
      JOIN pg_namespace AS n ON n.oid = c.relnamespace
)
SELECT d.name, d.kind, CASE d.kind WHEN 'hash' THEN column_to_column_name(d.logicalrelid, d.partkey) ELSE '' END,
       CASE d.kind WHEN 'hash' THEN (SELECT min(q.name COLLATE "C") FROM distributed AS q
                                      WHERE q.colocationid = d.colocationid AND q.partmethod = 'h') ELSE '' END
  FROM distributed AS d;
