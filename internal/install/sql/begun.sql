-- Parameter: $1 text of a generated file. Its head lists the indexes that the file builds (+) and
-- drops (-), as "schema.index". Returns whether an interrupted migrate up has begun with the file:
-- an index to build exists or was renamed, or an index to drop is missing or invalid.
WITH live (name, valid) AS (
    SELECT n.nspname || '.' || c.relname, i.indisvalid
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
), named (sign, name) AS (
    SELECT m[1], m[2]::jsonb #>> '{}' FROM regexp_matches($1, '^--   ([+-]) index (".*")$', 'gn') m
)
SELECT EXISTS (SELECT FROM live l, named b WHERE b.sign = '+' AND l.name IN (b.name, b.name || '_invalid'))
    OR EXISTS (SELECT FROM named d WHERE d.sign = '-' AND NOT EXISTS (SELECT FROM live l WHERE l.name = d.name AND l.valid));
