-- Reads columns in their order.
-- $1 oid[]: of which tables.
-- Returns the table's oid, name, type, of a domain the type beneath it (else ''), whether NOT NULL (and not NOT VALID), the default or, for a generated column,
-- its expression ('' for none), whether it is generated, how it is an identity column ('always', 'by
-- default' or ''), whether it is computed whenever it is read (PostgreSQL 18): then no index can hold it; the
-- collation where it is not the database's, else ''; the schema of the operators of a type that is not PostgreSQL's own (no
-- enum, range, array or row, which have none of their own), else ''.
SELECT a.attrelid,
       a.attname::text,
       format_type(a.atttypid, a.atttypmod),
       coalesce(base.name, ''),
       a.attnotnull AND NOT EXISTS (
           SELECT FROM pg_constraint AS n
            WHERE n.conrelid = a.attrelid AND n.contype = 'n' AND NOT n.convalidated AND n.conkey = ARRAY[a.attnum]),
       CASE WHEN d.oid IS NULL THEN '' ELSE pg_get_expr(d.adbin, d.adrelid) END,
       a.attgenerated <> '',
       CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' ELSE '' END,
       a.attgenerated = 'v',
       CASE WHEN a.attcollation IN (0, 'pg_catalog.default'::regcollation) THEN '' ELSE a.attcollation::regcollation::text END,
       coalesce(own.operators, '')
  FROM pg_attribute AS a
  LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN LATERAL (
    WITH RECURSIVE domain AS (
        SELECT t.typbasetype, t.typtypmod FROM pg_type AS t WHERE t.oid = a.atttypid AND t.typtype = 'd'
        UNION ALL
        SELECT t.typbasetype, t.typtypmod FROM domain JOIN pg_type AS t ON t.oid = domain.typbasetype AND t.typtype = 'd'
    )
    SELECT t.oid, format_type(d.typbasetype, d.typtypmod) AS name
      FROM domain AS d
      JOIN pg_type AS t ON t.oid = d.typbasetype AND t.typtype <> 'd'
  ) AS base ON true
  LEFT JOIN LATERAL (
    SELECT n.nspname::text AS operators
      FROM pg_type AS t
      JOIN pg_namespace AS n ON n.oid = t.typnamespace
     WHERE t.oid = coalesce(base.oid, a.atttypid) AND t.typtype = 'b' AND t.typcategory <> 'A' AND n.nspname <> 'pg_catalog'
  ) AS own ON true
 WHERE a.attrelid = ANY ($1::oid[])
   AND a.attnum > 0
   AND NOT a.attisdropped
 ORDER BY a.attrelid, a.attnum;
