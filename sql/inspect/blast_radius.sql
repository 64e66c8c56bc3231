-- blast_radius returns what runs would do until nothing is due. It has one row for each table that
-- a step reaches, directly or by a foreign key (path). Each row of a table counts once. It counts
-- as if nothing stopped a run. preview() returns in stopped_by whether something does.
-- max_rows: how many due rows are looked at, NULL for all
-- rows: NULL if the number cannot be known. note then says why.
-- effect "blocked": a foreign key refuses the delete
-- effect "refused": the archive already has the row, or a run would not drop the table that the row
-- names
-- It does not foresee rows that other constraints or triggers refuse. It locks nothing.
-- Raises P0002 for an unknown policy. Raises 22023 for a report, and for a window or scope that a
-- run would refuse. The runner, operators and viewers may call it.
CREATE OR REPLACE FUNCTION retention.blast_radius(
    policy text, as_of timestamptz DEFAULT NULL, older_than interval DEFAULT NULL, scope jsonb DEFAULT NULL,
    max_rows bigint DEFAULT NULL)
RETURNS TABLE (step integer, effect text, table_name text, path text, rows bigint, bytes bigint, locks text, note text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(blast_radius.policy, true);
    v_request retention.request; v_keys jsonb; v_found jsonb;
BEGIN
    v_request.as_of := blast_radius.as_of; v_request.older_than := blast_radius.older_than;
    v_request.scope := blast_radius.scope; v_request := retention._checked(v_policy, v_request, clock_timestamp());
    IF v_policy.report THEN
        RAISE invalid_parameter_value USING MESSAGE = format('"%s" is a report, and takes no rows', v_policy.name);
    END IF;
    SELECT coalesce(jsonb_agg(to_jsonb(k)), '[]') INTO v_keys
    FROM retention._keys_reached(ARRAY(SELECT retention._table(s) FROM unnest(v_policy.deletes) s)) k;
    v_found := retention._query_as_worker(
        'SELECT coalesce(jsonb_agg(to_jsonb(x)), ''[]'') FROM (' || retention._radius_query(v_policy.name, v_keys)
        || ') x', jsonb_build_array(v_request.as_of, max_rows, v_request.scope, v_request.older_than), v_policy.name);
    -- whole: true if a table or partition is dropped or detached. Its rows are not counted.
    RETURN QUERY WITH found AS MATERIALIZED (
        SELECT f.*, f.verb IN ('detach', 'drop', 'drop table') AS whole,
               CASE WHEN f.verb = 'refused' THEN f.note END AS refusal,
               CASE WHEN f.verb IN ('detach', 'drop', 'drop table', 'refused') AND f.rel IS NOT NULL THEN f.rel
                    WHEN f.rel IS NULL THEN (retention._resolve_tables(ARRAY[f.table_name]))[1]
                    ELSE coalesce(pg_partition_root(f.rel), f.rel) END AS target
        FROM jsonb_to_recordset(v_found)
            f (step integer, key integer, verb text, rel oid, table_name text, n bigint, note text)
    ), keys AS MATERIALIZED (
        SELECT k.* FROM jsonb_to_recordset(v_keys)
            k (n integer, action text, missing text, path text, parent_root oid, child_root oid)
    ), lines AS (
        SELECT f.step, f.key, f.verb, f.target, f.whole, max(f.table_name) AS name, f.refusal,
               CASE WHEN NOT f.whole AND f.verb <> 'sql' THEN sum(f.n)::bigint END AS n
        FROM found f WHERE f.verb NOT IN ('due', 'unknown', 'note', 'unsure')
        GROUP BY f.step, f.key, f.verb, f.target, f.whole, f.refusal
        UNION ALL  -- foreign keys along which rows cannot be counted
        SELECT min(f.step), k.n, CASE k.action WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
            WHEN 'd' THEN 'set default' ELSE 'blocked' END, k.child_root, false, NULL, NULL, NULL
        FROM keys k JOIN found f ON f.target = k.parent_root AND f.verb IN ('delete', 'cascade')
        WHERE k.missing IS NOT NULL GROUP BY k.n, k.action, k.child_root
        UNION ALL  -- steps that find no rows now
        SELECT e.step, 0, e.verb, (retention._resolve_tables(ARRAY[e."table"]))[1], false, e."table", NULL, 0
        FROM jsonb_to_recordset(v_policy.steps) e (step integer, verb text, "table" text)
        WHERE e.verb IN ('delete', 'update') AND (e.step, e.verb) NOT IN (SELECT f.step, f.verb FROM found f)
    -- against has the reasons why numbers are uncertain. A reason applies to the numbers of one
    -- step, or of all steps if step is 0. of_rows: the reason does not apply to dropped or detached
    -- tables.
    ), against AS (
        SELECT f.step, f.note AS why, false AS of_rows FROM found f WHERE f.verb IN ('unknown', 'note')
        UNION ALL SELECT 0, CASE f.verb WHEN 'blocked' THEN format('foreign key %s refuses some', k.path)
            WHEN 'unsure' THEN format('a step changes what refers by foreign key %s', k.path)
            WHEN 'refused' THEN CASE WHEN f.refusal IS NULL THEN format('%s has rows with the same keys', f.table_name)
                ELSE format('step %s refuses some rows', f.step) END END, f.refusal IS NOT NULL
        FROM found f LEFT JOIN keys k ON k.n = f.key WHERE f.n > 0
        UNION ALL SELECT 0, k.missing, false FROM keys k
        WHERE k.missing IS NOT NULL AND EXISTS (SELECT FROM found f WHERE f.verb IN ('delete', 'cascade')
            AND f.target = k.parent_root)
    )
    SELECT l.step, l.verb, CASE WHEN NOT l.whole AND l.refusal IS NULL
               THEN coalesce(retention._table_name(l.target), l.name) ELSE (
               SELECT s.nspname || '.' || c.relname
               FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = l.target) END,
           k.path, CASE WHEN d.doubt IS NULL THEN l.n END,
           CASE WHEN l.whole THEN (
                    SELECT sum(pg_total_relation_size(b))::bigint FROM retention._descendants(ARRAY[l.target]) b)
                WHEN l.verb NOT IN ('insert', 'archive', 'blocked', 'refused', 'sql')
                THEN (l.n * retention._row_bytes(l.target))::bigint END,
           CASE WHEN l.verb IN ('delete', 'cascade') THEN 'ROW EXCLUSIVE; rows FOR UPDATE'
                WHEN l.verb IN ('update', 'set null', 'set default') THEN 'ROW EXCLUSIVE; rows FOR NO KEY UPDATE'
                WHEN l.verb IN ('insert', 'archive') THEN 'ROW EXCLUSIVE'
                WHEN l.verb IN ('detach', 'drop') THEN
                    'ACCESS EXCLUSIVE, also on the table above and its DEFAULT partition'
                WHEN l.verb = 'drop table' THEN 'ACCESS EXCLUSIVE'
                WHEN l.verb = 'sql' THEN 'those of the statement' END,
           nullif(concat_ws('; ',
               coalesce(l.n || ' as things are: ', '') || d.doubt,
               l.refusal, CASE WHEN l.whole THEN coalesce('about ' || nullif(retention._estimated_rows(l.target), 0)
                   || ' rows, as the planner estimates', 'rows are not counted') END,
               'fires trigger ' || r.after,
               CASE WHEN (SELECT f.n >= max_rows FROM found f WHERE f.verb = 'due')
                   THEN format('at least, because only %s due rows were looked at', max_rows) END), '')
    FROM lines l LEFT JOIN keys k ON k.n = l.key
    CROSS JOIN LATERAL retention._row_triggers(l.target, CASE WHEN l.verb IN ('delete', 'cascade') THEN 'DELETE'
        WHEN l.verb IN ('insert', 'archive') THEN 'INSERT'
        WHEN l.verb IN ('update', 'set null', 'set default') THEN 'UPDATE' END) r
    CROSS JOIN LATERAL (SELECT string_agg(DISTINCT w.why, '; ') AS doubt FROM (
        SELECT a.why FROM against a
        WHERE a.step IN (0, l.step) AND (l.verb NOT IN ('blocked', 'refused') OR l.n IS NULL)
            AND NOT (a.of_rows AND l.whole)
        UNION ALL SELECT format('trigger %s may keep rows', r.before) WHERE r.before IS NOT NULL AND l.n > 0) w) d
    WHERE l.n IS DISTINCT FROM 0 OR d.doubt IS NOT NULL ORDER BY l.step, l.key, 3, l.verb;
END $function$;
