-- Finds the tables that matter to a delete from given tables.
-- $1 oid[]: the given tables.
-- $2 text: the runtime's schema; its tables are left out unless they were given, PostgreSQL's own even then.
-- Returns oids:
--   1. partitions and inheritance children, because a delete from the parent reaches them;
--   2. tables that reference these by foreign key, and those that reference them in turn where the
--      action goes on (cascade, set null, set default); behind no action and restrict no row changes;
--   3. parents of all of these, upwards.
WITH RECURSIVE
edge (source, target, goes_on) AS (
    SELECT confrelid, conrelid, confdeltype IN ('c', 'n', 'd')
      FROM pg_constraint
     WHERE contype = 'f'
       AND coalesce((to_jsonb(pg_constraint) ->> 'conenforced')::boolean, true) -- PostgreSQL 18
    UNION ALL
    SELECT inhparent, inhrelid, true
      FROM pg_inherits
),
reached (oid, goes_on) AS (
    SELECT given.oid, true
      FROM unnest($1::oid[]) AS given (oid)
    UNION
    SELECT edge.target, edge.goes_on
      FROM reached
      JOIN edge ON edge.source = reached.oid
     WHERE reached.goes_on
),
ancestor (oid) AS (
    SELECT oid FROM reached
    UNION
    SELECT inherits.inhparent
      FROM ancestor
      JOIN pg_inherits AS inherits ON inherits.inhrelid = ancestor.oid
)
SELECT c.oid
  FROM ancestor
  JOIN pg_class AS c ON c.oid = ancestor.oid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') -- pg_inherits holds the indexes of partitions as well
   AND n.nspname NOT IN ('pg_catalog', 'information_schema')
   AND (n.nspname <> $2::text OR c.oid = ANY ($1::oid[]));
