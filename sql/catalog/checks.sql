-- Returns the CHECK constraints on one column of type text or varchar, or of a domain over these
-- types. All rows meet these constraints, also those of partitions and inheritance children.
-- $1 text[]: the tables, as schema.table
-- Columns of the result: schema.table, the column, and the expression. In the constraint of a
-- domain, the column is called VALUE.
-- The query leaves out constraints that rows may violate: NOT VALID, NO INHERIT, NOT ENFORCED
-- (PostgreSQL 18), and those of foreign tables. It leaves out columns whose collation may treat
-- different texts as equal.
WITH RECURSIVE text_type AS (
    SELECT t.oid FROM pg_type AS t WHERE t.oid IN ('text'::regtype, 'varchar'::regtype)
    UNION ALL
    SELECT d.oid FROM text_type JOIN pg_type AS d ON d.typbasetype = text_type.oid AND d.typtype = 'd'
), listed AS (
    SELECT c.oid, a.attnum, a.atttypid, n.nspname || '.' || c.relname AS name, a.attname::text AS column
      FROM pg_class AS c
      JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN text_type ON text_type.oid = a.atttypid
      JOIN pg_collation AS l ON l.oid = a.attcollation AND l.collisdeterministic
     WHERE n.nspname || '.' || c.relname = ANY ($1::text[]) AND c.relkind IN ('r', 'p')
)
SELECT listed.name, listed.column, pg_get_expr(k.conbin, k.conrelid)
  FROM listed
  JOIN pg_constraint AS k ON k.conrelid = listed.oid AND k.conkey = ARRAY[listed.attnum]
                          OR k.contypid = listed.atttypid
 WHERE k.contype = 'c' AND k.convalidated AND NOT k.connoinherit
   AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
 ORDER BY listed.name COLLATE "C", listed.attnum, k.conname COLLATE "C";
