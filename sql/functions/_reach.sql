-- Every table that foreign keys change when rows of tables are deleted, or columns set as p_sets tells, to any depth,
-- with one path; on_update: by columns that were set. Partitions and children of the given tables are included.
CREATE OR REPLACE FUNCTION retention._reach(p_tables oid[], p_sets jsonb)
RETURNS TABLE (reached oid, on_update boolean, path text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
BEGIN
    -- Of most tables nothing goes on: planning the walk would be most of what a run with nothing due costs.
    IF p_sets = '[]' AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = ANY (p_tables))
       AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = ANY (p_tables)
           AND k.confdeltype IN ('c', 'n', 'd')) THEN
        RETURN;
    END IF;
    RETURN QUERY WITH RECURSIVE named AS (  -- sets is NULL where rows go
        SELECT t.oid, NULL::text[] AS sets FROM unnest(p_tables) AS t(oid)
        UNION
        SELECT t.oid, ARRAY(SELECT c.name FROM jsonb_object_keys(e -> 'set') AS c(name) ORDER BY c.name COLLATE "C")
        FROM jsonb_array_elements(p_sets) AS e JOIN pg_namespace s ON starts_with(e ->> 'table', s.nspname || '.')
        JOIN pg_class t ON t.relnamespace = s.oid AND s.nspname || '.' || t.relname = e ->> 'table'
            AND t.relkind IN ('r', 'p')
    ), member AS (
        SELECT n.oid, n.sets FROM named n
        UNION SELECT i.inhrelid, m.sets FROM member m JOIN pg_inherits i ON i.inhparent = m.oid
    ), walk AS (
        SELECT m.oid AS rel, m.sets, true AS goes_on, false AS on_update, ARRAY[concat_ws(' ', m.oid, m.sets)] AS seen,
               retention._table_name(m.oid) COLLATE "C" AS path
        FROM member m
        UNION ALL SELECT k.conrelid, x.sets, concat_ws(' ', k.conrelid, x.sets) <> ALL (w.seen), w.sets IS NOT NULL,
               w.seen || concat_ws(' ', k.conrelid, x.sets),
               format('%s -> %s (%s)', w.path, retention._table_name(k.conrelid), k.conname) COLLATE "C"
        FROM walk w
        JOIN pg_constraint k ON k.confrelid = w.rel AND k.contype = 'f'
                            AND CASE WHEN w.sets IS NULL THEN k.confdeltype ELSE k.confupdtype END IN ('c', 'n', 'd')
                            AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
        CROSS JOIN LATERAL (
            SELECT coalesce(bool_or(p.attname = ANY (w.sets)), false) AS touched,
                   CASE WHEN w.sets IS NOT NULL OR k.confdeltype <> 'c' THEN
                       coalesce(array_agg(c.attname::text COLLATE "default" ORDER BY c.attname COLLATE "C")
                           FILTER (WHERE CASE
                           WHEN w.sets IS NULL THEN k.confdelsetcols IS NULL OR c.attnum = ANY (k.confdelsetcols)
                           ELSE k.confupdtype <> 'c' OR p.attname = ANY (w.sets) END), '{}') END AS sets
            FROM unnest(k.conkey, k.confkey) AS u(child, parent)
            JOIN pg_attribute c ON c.attrelid = k.conrelid AND c.attnum = u.child
            JOIN pg_attribute p ON p.attrelid = k.confrelid AND p.attnum = u.parent) x
        WHERE w.goes_on AND cardinality(w.seen) <= 64 AND (w.sets IS NULL OR x.touched)
    )
    SELECT DISTINCT ON (1, 2) coalesce(pg_partition_root(w.rel), w.rel)::oid, w.on_update, w.path
    FROM walk w WHERE cardinality(w.seen) > 1 ORDER BY 1, 2, cardinality(w.seen), w.path;
END $function$;
