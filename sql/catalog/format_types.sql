-- Prints types.
-- $1 oid[]: types. $2 int[]: their lengths and precisions, as columns have them.
-- Returns the names, in the order of $1, with schemas unless they are pg_catalog's.
SELECT format_type(o.oid, m.typmod)
  FROM unnest($1::oid[]) WITH ORDINALITY AS o (oid, n)
  JOIN unnest($2::int[]) WITH ORDINALITY AS m (typmod, n) USING (n)
 ORDER BY n;
