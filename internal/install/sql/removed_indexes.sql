-- Returns a statement for each index of pgretain on a table that is not partitioned. The statement
-- drops the index. Indexes of detached partitions, and of interrupted builds, have no comment.
SELECT format('DROP INDEX CONCURRENTLY IF EXISTS %I.%I', n.nspname, c.relname)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_description d
       ON d.objoid = c.oid
      AND d.classoid = 'pg_catalog.pg_class'::regclass
      AND d.objsubid = 0
WHERE c.relkind = 'i'
  AND NOT c.relispartition
  AND (d.description LIKE 'pgretain: index %'
       OR d.objoid IS NULL AND c.relname ~ '^pgretain_.*_[0-9a-f]{8}(_invalid)?$')
ORDER BY n.nspname, c.relname;
