-- What _radius_query counted (p_found), with names, and what makes a number doubtful: a reason against all, one step,
-- or one table. estimate is of what goes whole, after what fires besides, capped: not all due rows were looked at.
CREATE OR REPLACE FUNCTION retention._radius(p_keys jsonb, p_found jsonb, p_limit bigint)
RETURNS TABLE (
    step integer, key integer, verb text, rel oid, table_name text, path text, n bigint, size bigint, doubt text,
    estimate text, after text, capped boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH found AS MATERIALIZED (
        SELECT f.*, f.verb IN ('detach', 'drop', 'drop table') AS whole, CASE
                   WHEN f.verb IN ('detach', 'drop', 'drop table') THEN f.rel
                   WHEN f.rel IS NOT NULL THEN coalesce(pg_partition_root(f.rel)::oid, f.rel)
                   ELSE (SELECT c.oid FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
                         WHERE s.nspname || '.' || c.relname = f.table_name
                             AND c.relkind IN ('r', 'p') LIMIT 1) END AS target
        FROM jsonb_to_recordset(p_found) f(step integer, key integer, verb text, rel oid, table_name text, n bigint,
            note text)
    ), keys AS MATERIALIZED (
        SELECT k.*
        FROM jsonb_to_recordset(p_keys) k(n integer, action text, missing text, path text, parent_root oid,
            child_root oid)
    ), lines AS (
        SELECT f.step, f.key, f.verb, f.target, f.whole, max(f.table_name) AS table_name,
               CASE WHEN NOT f.whole AND f.verb <> 'sql' THEN sum(f.n)::bigint END AS n
        FROM found f WHERE f.verb NOT IN ('due', 'unknown', 'note', 'unsure')
        GROUP BY f.step, f.key, f.verb, f.target, f.whole
        UNION ALL  -- what nobody can look into
        SELECT min(f.step), k.n, CASE k.action WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
            WHEN 'd' THEN 'set default' ELSE 'blocked' END, k.child_root, false, NULL, NULL
        FROM keys k JOIN found f ON f.target = k.parent_root AND f.verb IN ('delete', 'cascade')
        WHERE k.missing IS NOT NULL GROUP BY k.n, k.action, k.child_root
    ), against AS (
        SELECT f.step, f.note AS why FROM found f WHERE f.verb IN ('unknown', 'note')
        UNION ALL SELECT 0, format('foreign key %s refuses some', k.path) FROM found f JOIN keys k ON k.n = f.key
            WHERE f.verb = 'blocked'
        UNION ALL SELECT 0, format('a step changes what refers by foreign key %s', k.path) FROM found f JOIN keys k
            ON k.n = f.key WHERE f.verb = 'unsure'
        UNION ALL SELECT 0, format('%s has rows with the same keys', f.table_name) FROM found f WHERE f.verb = 'refused'
            AND f.n > 0
        UNION ALL SELECT 0, k.missing FROM keys k
        WHERE k.missing IS NOT NULL AND EXISTS (SELECT FROM found f WHERE f.verb IN ('delete', 'cascade')
            AND f.target = k.parent_root)
    )
    SELECT l.step, l.key, l.verb, l.target, CASE
               WHEN l.whole THEN (SELECT s.nspname || '.' || c.relname
                                  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = l.target)
               ELSE coalesce(retention._table_name(l.target), l.table_name) END,
           k.path, l.n, CASE WHEN l.whole THEN (SELECT sum(pg_total_relation_size(x.oid))
                                   FROM (SELECT l.target AS oid UNION SELECT t.relid
                                       FROM pg_partition_tree(l.target) t) x)::bigint END,
           (SELECT string_agg(DISTINCT w.why, '; ') FROM (
                SELECT a.why FROM against a WHERE a.step IN (0, l.step)
                    AND (l.verb NOT IN ('blocked', 'refused') OR l.n IS NULL)
                UNION ALL SELECT format('trigger %s may keep rows', retention._row_triggers(l.target, e.event, true))
                WHERE retention._row_triggers(l.target, e.event, true) IS NOT NULL) w),
           CASE WHEN l.whole THEN coalesce('about ' || nullif(retention._estimated_rows(l.target), 0)
               || ' rows, as the planner estimates', 'rows are not counted') END,
           'fires trigger ' || retention._row_triggers(l.target, e.event, false),
           coalesce((SELECT f.n >= p_limit FROM found f WHERE f.verb = 'due'), false)
    FROM lines l LEFT JOIN keys k ON k.n = l.key
    CROSS JOIN LATERAL (SELECT CASE WHEN l.verb IN ('delete', 'cascade') THEN 'DELETE'
        WHEN l.verb IN ('insert', 'archive') THEN 'INSERT'
                                    WHEN l.verb IN ('update', 'set null', 'set default') THEN 'UPDATE' END AS event) e
    WHERE l.n IS NULL OR l.n > 0
$function$;
