-- $1: a generated file, whose head names the indexes that it builds (+) and drops (-), each as "schema.index". Whether it
-- has begun to: one of the first is there, or set aside, or one of the second is not there as it should be.
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
