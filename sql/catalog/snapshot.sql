-- Reads tables for the file of a catalog snapshot. It reads the named tables, and all tables that a
-- delete from them can change or has to read. These are partitions, inheritance children and tables
-- that refer by foreign key. If the action of a foreign key changes rows, the query goes on with
-- the tables that refer to those rows. It reads all parents, too.
-- $1 text[]: names, "schema.name" or "name", unquoted as in snapshots
-- $2 text[]: the schemas in which a bare name is looked up, after pg_catalog
-- $3 text: the runtime's schema. Its tables are left out unless they are named.
-- $4 boolean: true to read all tables of the application, without those of extensions
-- PostgreSQL's own tables are always left out.
-- Columns of the result:
-- - the tables
-- - the names for which there is no table
-- - a name that means two tables. This takes a dot in a name.
-- - whether an object was dropped meanwhile, so that the server printed NULL for it
-- The query needs no privilege, unlike to_regclass.
WITH RECURSIVE relation AS MATERIALIZED (
    SELECT c.*, n.nspname::text AS schema, c.relname::text AS table, n.nspname || '.' || c.relname AS name
      FROM pg_class AS c
      JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
), asked AS (
    SELECT found.name, found.oid
      FROM (SELECT f.*, rank() OVER (PARTITION BY f.name ORDER BY f.place) AS rank
              FROM (SELECT r.name, r.oid, 0 AS place FROM relation AS r
                    UNION ALL
                    SELECT r.table, r.oid, path.place
                      FROM unnest(ARRAY['pg_catalog'] || $2::text[]) WITH ORDINALITY AS path (schema, place)
                      JOIN relation AS r USING (schema)) AS f
             WHERE f.name = ANY ($1::text[])) AS found
     WHERE found.rank = 1
), root AS (
    SELECT asked.oid FROM asked
    UNION
    SELECT r.oid
      FROM relation AS r
     WHERE $4::boolean AND r.relkind IN ('r', 'p') AND NOT r.relispartition AND r.relpersistence <> 't'
       AND r.schema <> $3::text AND r.schema NOT LIKE 'pg\_%'
       AND NOT EXISTS (SELECT FROM pg_depend AS d
                        WHERE d.classid = 'pg_class'::regclass AND d.objid = r.oid AND d.deptype = 'e')
), key AS MATERIALIZED ( -- without NOT ENFORCED keys (PostgreSQL 18); older servers lack the column
    SELECT k.* FROM pg_constraint AS k
     WHERE k.contype = 'f' AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
), reached (oid, goes_on) AS (
    SELECT root.oid, true FROM root
    UNION
    SELECT edge.target, edge.goes_on
      FROM reached
      JOIN (SELECT confrelid AS source, conrelid AS target, confdeltype IN ('c', 'n', 'd') AS goes_on FROM key
            UNION ALL
            SELECT inhparent, inhrelid, true FROM pg_inherits) AS edge ON edge.source = reached.oid
     WHERE reached.goes_on
), ancestor (oid) AS (
    SELECT oid FROM reached
    UNION
    SELECT i.inhparent FROM ancestor JOIN pg_inherits AS i ON i.inhrelid = ancestor.oid
), read AS MATERIALIZED (
    SELECT r.*
      FROM relation AS r
     WHERE r.oid IN (SELECT oid FROM ancestor) AND r.schema NOT IN ('pg_catalog', 'information_schema')
       AND (r.schema <> $3::text OR r.oid IN (SELECT oid FROM root))
), referenced AS ( -- without the copies that PostgreSQL makes for partitions
    SELECT k.confrelid AS oid, jsonb_agg(jsonb_build_object(
               'name', k.conname, 'table', t.name, 'columns', own.names, 'ref_table', r.name, 'ref_columns', ref.names,
               'deferrable', k.condeferrable,
               'on_delete', CASE k.confdeltype
                   WHEN 'a' THEN 'no action' WHEN 'r' THEN 'restrict' WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
                   ELSE 'set default' END)
               ORDER BY k.conname COLLATE "C", t.schema COLLATE "C", t.table COLLATE "C") AS list
      FROM key AS k
      JOIN read AS t ON t.oid = k.conrelid
      JOIN read AS r ON r.oid = k.confrelid
     CROSS JOIN LATERAL (
        SELECT jsonb_agg(a.attname ORDER BY u.place) AS names
          FROM unnest(k.conkey) WITH ORDINALITY AS u (attnum, place)
          JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.attnum) AS own
     CROSS JOIN LATERAL (
        SELECT jsonb_agg(a.attname ORDER BY u.place) AS names
          FROM unnest(k.confkey) WITH ORDINALITY AS u (attnum, place)
          JOIN pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = u.attnum) AS ref
     WHERE k.conparentid = 0
     GROUP BY k.confrelid
), made AS ( -- pgretain sets a comment on each index that it builds
    SELECT d.objoid AS oid
      FROM pg_description AS d
     WHERE d.classoid = 'pg_class'::regclass AND d.objsubid = 0 AND d.description LIKE 'pgretain%'
), listed AS (
    SELECT coalesce(jsonb_agg(jsonb_build_object('schema', t.schema, 'name', t.table, 'row_security', t.relrowsecurity,
               'kind', CASE t.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned' WHEN 'v' THEN 'view'
                                      WHEN 'm' THEN 'materialized view' ELSE 'foreign' END,
               'partition_of', CASE WHEN t.relispartition THEN parents.names -> 0 END,
               'inherits', CASE WHEN NOT t.relispartition THEN parents.names END, 'children', children.names,
               'partitioned_by', CASE part.by WHEN 'r' THEN 'range' WHEN 'l' THEN 'list' WHEN 'h' THEN 'hash' END,
               'partition_key', part.key, 'columns', coalesce(columns.list, '[]'), 'indexes', indexes.list,
               'referenced', referenced.list, 'triggers', triggers.list)
               ORDER BY t.schema COLLATE "C", t.table COLLATE "C"), '[]') AS tables
      FROM read AS t
      LEFT JOIN referenced USING (oid)
      LEFT JOIN (
        SELECT i.inhrelid AS oid, jsonb_agg(p.name ORDER BY p.name COLLATE "C") AS names
          FROM pg_inherits AS i JOIN relation AS p ON p.oid = i.inhparent GROUP BY 1) AS parents USING (oid)
      LEFT JOIN (
        SELECT i.inhparent AS oid, jsonb_agg(p.name ORDER BY p.name COLLATE "C") AS names
          FROM pg_inherits AS i JOIN relation AS p ON p.oid = i.inhrelid GROUP BY 1) AS children USING (oid)
      LEFT JOIN ( -- '' for an expression
        SELECT p.partrelid AS oid, p.partstrat AS by, jsonb_agg(coalesce(a.attname, '') ORDER BY u.place) AS key
          FROM pg_partitioned_table AS p
         CROSS JOIN unnest(p.partattrs) WITH ORDINALITY AS u (attnum, place)
          LEFT JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = u.attnum AND a.attnum > 0
         GROUP BY p.partrelid) AS part USING (oid)
      LEFT JOIN (
        SELECT a.attrelid AS oid, jsonb_agg(jsonb_build_object(
                   'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'base', coalesce(base.name, ''),
                   'not_null', a.attnotnull AND NOT EXISTS ( -- a NOT VALID constraint (PostgreSQL 18) proves nothing
                       SELECT FROM pg_constraint AS n WHERE n.conrelid = a.attrelid AND n.contype = 'n'
                                                        AND NOT n.convalidated AND n.conkey = ARRAY[a.attnum]),
                   'default', CASE WHEN d.oid IS NULL THEN '' ELSE pg_get_expr(d.adbin, d.adrelid) END,
                   'generated', a.attgenerated <> '', 'virtual', a.attgenerated = 'v',
                   'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' ELSE '' END,
                   'collation', CASE WHEN a.attcollation IN (0, 'pg_catalog.default'::regcollation) THEN ''
                                     ELSE a.attcollation::regcollation::text END,
                   'operators', coalesce(own.schema, '')) || coalesce(labels.object, '{}') ORDER BY a.attnum) AS list
          FROM read
          JOIN pg_attribute AS a ON a.attrelid = read.oid AND a.attnum > 0 AND NOT a.attisdropped
          LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
          LEFT JOIN LATERAL (
            WITH RECURSIVE domain (oid, typmod) AS (
                SELECT y.typbasetype, y.typtypmod FROM pg_type AS y WHERE y.oid = a.atttypid AND y.typtype = 'd'
                UNION ALL
                SELECT y.typbasetype, y.typtypmod FROM domain JOIN pg_type AS y USING (oid) WHERE y.typtype = 'd'
            )
            SELECT oid, format_type(oid, typmod) AS name
              FROM domain JOIN pg_type AS y USING (oid) WHERE y.typtype <> 'd') AS base ON true
          LEFT JOIN LATERAL ( -- enums, ranges, arrays and rows have no operators of their own
            SELECT n.nspname AS schema
              FROM pg_type AS y JOIN pg_namespace AS n ON n.oid = y.typnamespace
             WHERE y.oid = coalesce(base.oid, a.atttypid) AND y.typtype = 'b' AND y.typcategory <> 'A'
               AND n.nspname <> 'pg_catalog') AS own ON true
          LEFT JOIN LATERAL ( -- of an enum, or of a domain over an enum
            SELECT jsonb_build_object('labels', jsonb_agg(e.enumlabel ORDER BY e.enumsortorder)) AS object
              FROM pg_enum AS e WHERE e.enumtypid = coalesce(base.oid, a.atttypid)
            HAVING count(*) > 0) AS labels ON true
         GROUP BY 1) AS columns USING (oid)
      LEFT JOIN (
        SELECT i.indrelid AS oid, jsonb_agg(jsonb_build_object(
                   'name', c.relname, 'definition', pg_get_indexdef(i.indexrelid), 'method', m.amname,
                   'columns', keys.names, 'descending', keys.descending, 'nulls_first', keys.nulls_first,
                   -- Unique as ON CONFLICT needs it: checked at once, and by equality. WITHOUT
                   -- OVERLAPS (PostgreSQL 18) is not.
                   'unique', i.indisunique AND i.indimmediate AND NOT i.indisexclusion AND keys.equal, 'primary',
                       i.indisprimary,
                   'predicate', CASE WHEN i.indpred IS NULL THEN '' ELSE pg_get_expr(i.indpred, i.indrelid) END,
                   'valid', i.indisvalid AND i.indisready) ORDER BY c.relname COLLATE "C") AS list
          FROM read
          JOIN pg_index AS i ON i.indrelid = read.oid AND i.indislive
          JOIN pg_class AS c ON c.oid = i.indexrelid
          JOIN pg_am AS m ON m.oid = c.relam
         CROSS JOIN LATERAL ( -- indkey and indoption start at 0; in indoption, bit 1 is DESC, bit 2 is NULLS FIRST
            SELECT jsonb_agg(coalesce(a.attname, '') ORDER BY k) AS names,
                   jsonb_agg((i.indoption[k] & 1) <> 0 ORDER BY k) AS descending,
                   jsonb_agg((i.indoption[k] & 2) <> 0 ORDER BY k) AS nulls_first,
                   -- True if the index and its columns treat the same values as equal. Another
                   -- collation or operator class may treat other values as equal.
                   bool_or(i.indcollation[k] <> a.attcollation AND EXISTS (
                           SELECT FROM pg_collation AS l
                            WHERE l.oid IN (i.indcollation[k], a.attcollation) AND NOT l.collisdeterministic)
                       OR EXISTS (
                           SELECT FROM pg_opclass AS o
                             JOIN pg_opclass AS d ON d.opcmethod = o.opcmethod AND d.opcdefault
                                  AND d.opcintype IN (y.oid, y.typbasetype, o.opcintype)
                             JOIN pg_amop AS e ON (e.amopfamily, e.amoplefttype, e.amoprighttype, e.amopstrategy)
                                  = (o.opcfamily, o.opcintype, o.opcintype, 3)
                             JOIN pg_amop AS f ON (f.amopfamily, f.amoplefttype, f.amoprighttype, f.amopstrategy)
                                  = (d.opcfamily, d.opcintype, d.opcintype, 3)
                            WHERE o.oid = i.indclass[k] AND e.amopopr <> f.amopopr)) IS NOT TRUE AS equal
              FROM generate_series(0, i.indnkeyatts - 1) AS k
              LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = nullif(i.indkey[k], 0)
              LEFT JOIN pg_type AS y ON y.oid = a.atttypid) AS keys
         WHERE c.oid NOT IN (SELECT oid FROM made) AND NOT (c.relispartition AND EXISTS (
                   SELECT FROM pg_partition_ancestors(c.oid) AS above (oid) JOIN made USING (oid)))
         GROUP BY 1) AS indexes USING (oid)
      LEFT JOIN ( -- row triggers on DELETE of the application, if they fire in ordinary sessions
        SELECT g.tgrelid AS oid, jsonb_agg(jsonb_build_object('name', g.tgname, 'definition', pg_get_triggerdef(g.oid))
                         ORDER BY g.tgname COLLATE "C") AS list
          FROM pg_trigger AS g
         WHERE NOT g.tgisinternal AND g.tgtype & 9 = 9 AND g.tgenabled IN ('O', 'A')
         GROUP BY 1) AS triggers USING (oid)
)
SELECT jsonb_strip_nulls(listed.tables),
       (SELECT array_agg(a.name ORDER BY a.n) FROM unnest($1::text[]) WITH ORDINALITY AS a (name, n)
         WHERE a.name NOT IN (SELECT asked.name FROM asked)),
       (SELECT min(a.name) FROM (SELECT asked.name FROM asked GROUP BY 1 HAVING count(*) > 1) AS a),
       listed.tables @? '$[*].*[*].* ? (@ == null)'
  FROM listed;
