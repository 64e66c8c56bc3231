-- Reads what ANALYZE found in columns of numbers and times: of the tables that the role may read.
-- $1 oid[]: of which tables.
-- Returns schema.name and column, the share of NULLs, and the first, the middle and the last bound of the histogram: half
-- of the values are on each side of the middle. The bounds are '' where there is no histogram.
SELECT DISTINCT ON (1, 2)
       n.nspname || '.' || c.relname,
       a.attname::text,
       s.null_frac::float8,
       coalesce(bounds.list[1], ''),
       coalesce(bounds.list[(1 + cardinality(bounds.list)) / 2], ''),
       coalesce(bounds.list[cardinality(bounds.list)], '')
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_attribute AS a ON a.attrelid = c.oid
   AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype, 'int4'::regtype, 'int8'::regtype,
                      'numeric'::regtype, 'float8'::regtype)
  JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
 CROSS JOIN LATERAL (SELECT s.histogram_bounds::text::text[] AS list) AS bounds
 WHERE c.oid = ANY ($1::oid[])
 ORDER BY 1, 2, s.inherited DESC;
