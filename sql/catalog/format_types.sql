-- Returns the names of types in the order of $1, with the schema unless it is pg_catalog.
-- $1 oid[]: types
-- $2 int[]: their type modifiers
SELECT format_type(o.oid, m.typmod)
  FROM unnest($1::oid[]) WITH ORDINALITY AS o (oid, n)
  JOIN unnest($2::int[]) WITH ORDINALITY AS m (typmod, n) USING (n)
 ORDER BY n;
