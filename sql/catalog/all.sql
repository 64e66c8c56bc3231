-- Finds the tables of an application: not PostgreSQL's own, those of extensions, and temporary ones.
-- $1 text: the runtime's schema; its tables are left out.
-- Returns oids. Partitions are found with the table that they belong to.
SELECT c.oid
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p')
   AND NOT c.relispartition
   AND c.relpersistence <> 't'
   AND n.nspname NOT IN ('information_schema', $1::text)
   AND n.nspname NOT LIKE 'pg\_%'
   AND NOT EXISTS (SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e');
