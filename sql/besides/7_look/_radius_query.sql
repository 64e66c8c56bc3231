-- The statement that counts what steps and the keys behind them (_keys_reached) would do; $1 is an array of what
-- _effects takes. A row is counted where it goes first: by step, then by key; one whose key an earlier step sets to
-- NULL is not reached. Keys that cascade in a circle are followed by recursion.
CREATE OR REPLACE FUNCTION retention._radius_query(p_policy text, p_keys jsonb) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    c_cascade CONSTANT text := 'SELECT w.step, c.tableoid AS rel, c.ctid AS tid, %s AS n FROM (%s) w'
        ' JOIN %s p ON p.tableoid = w.rel AND p.ctid = w.tid JOIN %s c ON %s'
        ' LEFT JOIN moved u ON u.rel = c.tableoid AND u.tid = c.ctid AND u.step < w.step AND u.sets && %L::text[]'
        ' WHERE u.tid IS NULL';
    c_other CONSTANT text := ' UNION ALL SELECT %L AS verb, %s AS n, w.way AS first, c.tableoid AS rel, c.ctid AS tid,
        x.way AS gone'
        ' FROM taken w JOIN %s p ON p.tableoid = w.rel AND p.ctid = w.tid JOIN %s c ON %s'
        ' LEFT JOIN moved u ON u.rel = c.tableoid AND u.tid = c.ctid AND u.step < w.way / 10000'
        ' AND u.sets && %L::text[]'
        ' LEFT JOIN taken x ON x.rel = c.tableoid AND x.tid = c.ctid WHERE u.tid IS NULL AND (%s)';
    c_unsure CONSTANT text := ' UNION ALL SELECT 0, %s, ''unsure'', NULL, NULL, count(*), NULL FROM moved u'
        ' WHERE u.rel IN (SELECT %s::oid UNION SELECT t.relid FROM pg_partition_tree(%s) t)'
        ' AND u.sets && %L::text[] AND NOT u.nulls && %L::text[] HAVING count(*) > 0';
    v_key record;
    v_left integer[] := ARRAY(SELECT k.n FROM jsonb_to_recordset(p_keys) k(n integer, action text, missing text)
                              WHERE k.action = 'c' AND k.missing IS NULL);
    v_keys text := ''; v_gone text := 'SELECT g.* FROM gone_0 g'; v_others text := ''; v_unsure text;
BEGIN
    LOOP  -- a key whose parent no key leads to that is still left
        SELECT k.*, (SELECT string_agg(' UNION ALL SELECT g.* FROM gone_' || m.n || ' g', '' ORDER BY m.n)
                     FROM jsonb_to_recordset(p_keys) m(n integer, action text, missing text, child_root oid)
                     WHERE m.action = 'c' AND m.missing IS NULL AND m.child_root = k.parent_root) AS sources
        INTO v_key
        FROM jsonb_to_recordset(p_keys) k(n integer, parent_root oid, parent_from text, child_from text, matches text,
            columns text[])
        WHERE k.n = ANY (v_left) AND NOT EXISTS (
            SELECT FROM jsonb_to_recordset(p_keys) m(n integer, child_root oid)
            WHERE m.n = ANY (v_left) AND m.child_root = k.parent_root)
        ORDER BY k.n LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_keys := v_keys || format(', gone_%s AS MATERIALIZED (' || c_cascade || ')', v_key.n, v_key.n,
            'SELECT g.* FROM gone_0 g' || coalesce(v_key.sources, ''), v_key.parent_from, v_key.child_from,
                v_key.matches, v_key.columns);
        v_gone := v_gone || format(' UNION ALL SELECT g.* FROM gone_%s g', v_key.n);
        v_left := array_remove(v_left, v_key.n);
    END LOOP;
    IF v_left <> '{}' THEN  -- a circle
        SELECT v_gone || ' UNION (WITH w AS (SELECT * FROM gone) ' || string_agg(
            format(c_cascade, k.n, 'SELECT * FROM w', k.parent_from, k.child_from, k.matches, k.columns), ' UNION ALL '
                ORDER BY k.n) || ')'
        INTO v_gone
        FROM jsonb_to_recordset(p_keys) k(n integer, parent_from text, child_from text, matches text, columns text[])
        WHERE k.n = ANY (v_left);
    END IF;
    SELECT coalesce(string_agg(format(c_other,
            CASE k.action WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE 'blocked' END, k.n,
            k.parent_from, k.child_from, k.matches, k.columns, CASE
                WHEN k.action IN ('n', 'd') THEN 'x.way IS NULL'
                -- Both are own rows of the step, or the child goes in a later one: batches and their order decide.
                ELSE format('x.way IS NULL OR NOT %L AND x.way / 10000 > w.way / 10000'
                            ' OR x.way = w.way AND w.way %% 10000 = 0'
                            ' AND (c.tableoid, c.ctid) <> (p.tableoid, p.ctid)', k.deferred) END), '' ORDER BY k.n), '')
    INTO v_others
    FROM jsonb_to_recordset(p_keys) k(n integer, action text, deferred boolean, missing text, parent_from text,
        child_from text, matches text, columns text[])
    WHERE k.action <> 'c' AND k.missing IS NULL;
    SELECT coalesce(string_agg(format(c_unsure, k.n, k.child_root, k.child_root, k.columns, k.columns), ''
        ORDER BY k.n), '')
    INTO v_unsure
    FROM jsonb_to_recordset(p_keys) k(n integer, missing text, child_root oid, columns text[]) WHERE k.missing IS NULL;
    RETURN format($query$
WITH RECURSIVE direct AS MATERIALIZED (SELECT d.* FROM retention._effects(%L, ($1 ->> 0)::timestamptz,
    ($1 ->> 1)::bigint, nullif($1 -> 2, 'null'), ($1 ->> 3)::interval) d),
moved AS MATERIALIZED (SELECT d.rel, d.tid, d.step, d.sets, d.nulls FROM direct d WHERE d.verb = 'update'
    AND d.tid IS NOT NULL AND d.sets IS NOT NULL),
gone_0 AS (SELECT d.step, d.rel, d.tid, 0 AS n FROM direct d WHERE d.verb = 'delete' AND d.tid IS NOT NULL)%s,
gone (step, rel, tid, n) AS (%s),
taken AS MATERIALIZED (SELECT g.rel, g.tid, min(g.step * 10000 + g.n) AS way FROM gone g GROUP BY g.rel, g.tid),
others AS (SELECT NULL::text AS verb, NULL::integer AS n, NULL::integer AS first, NULL::oid AS rel, NULL::tid AS tid,
    NULL::integer AS gone WHERE false%s)
SELECT t.way / 10000 AS step, t.way %% 10000 AS key, CASE
    WHEN t.way %% 10000 = 0 THEN 'delete' ELSE 'cascade' END AS verb,
       t.rel, NULL::text AS table_name, count(*) AS n, NULL::text AS note
FROM taken t GROUP BY 1, 2, 4
UNION ALL
SELECT o.first / 10000, o.n, o.verb, o.rel, NULL, count(*), NULL
FROM (SELECT x.verb, x.n, x.rel, x.tid, min(x.first) AS first FROM others x GROUP BY 1, 2, 3, 4) o GROUP BY 1, 2, 3, 4
UNION ALL
SELECT d.step, 0, d.verb, d.rel, max(d.table_name), coalesce(sum(d.n), nullif(count(d.tid), 0)), max(d.note)
FROM direct d WHERE d.verb <> 'delete' GROUP BY d.step, d.verb, d.rel, d.note
UNION ALL
SELECT d.step, 0, 'note', NULL, NULL, 0, d.note FROM direct d WHERE d.note IS NOT NULL AND d.verb <> 'unknown'
    GROUP BY d.step, d.note%s$query$,
        p_policy, v_keys, v_gone, v_others, v_unsure);
END $function$;
