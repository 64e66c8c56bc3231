-- _radius_query returns the statement by which blast_radius counts what steps and foreign keys
-- (_keys_reached) would do. In the statement, $1 is an array with the arguments of _effects. Each
-- row counts once, for the first step and foreign key that take it. A foreign key does not reach a
-- row if an earlier step sets the key's columns in this row. The statement follows cascading keys
-- by recursion.
CREATE OR REPLACE FUNCTION retention._radius_query(p_policy text, p_keys jsonb) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE key AS (  -- children: the rows c that refer to rows of w
        SELECT k.*, format('%s p ON p.tableoid = w.rel AND p.ctid = w.tid JOIN %s c ON %s',
                           k.parent_from, k.child_from, k.matches) AS children,
               CASE WHEN s.sets THEN format(' AND NOT EXISTS (SELECT FROM moved u WHERE u.rel = c.tableoid'
                   ' AND u.tid = c.ctid AND u.step < w.step AND u.sets && %L::text[])', k.columns) END AS unmoved,
               -- Whether a delete is blocked depends on the batches if the step takes both rows, or
               -- if a later step takes the child.
               CASE WHEN k.action IN ('n', 'd') THEN 'x.way IS NULL'
                    ELSE format('x.way IS NULL OR NOT %L AND x.step > w.step OR x.way = w.way AND w.way %% 10000 = 0'
                                ' AND (c.tableoid, c.ctid) <> (p.tableoid, p.ctid)', k.deferred) END AS stay
        FROM jsonb_to_recordset(p_keys) k (n integer, action text, deferred boolean, missing text, parent_root oid,
            child_root oid, parent_from text, child_from text, matches text, columns text[])
        CROSS JOIN LATERAL (  -- sets: a step sets columns of the key
            SELECT EXISTS (SELECT FROM retention.policy p, jsonb_to_recordset(p.steps) e (verb text, "set" jsonb)
                           WHERE p.name = p_policy AND e.verb = 'update' AND e."set" ?| k.columns) AS sets) s
        WHERE k.missing IS NULL
    ), path AS (  -- from a table to all tables that it leads to, and to itself if keys form a cycle
        SELECT k.parent_root AS top, k.child_root AS reached FROM key k WHERE k.action = 'c'
        UNION SELECT p.top, k.child_root FROM path p JOIN key k ON k.parent_root = p.reached AND k.action = 'c'
    )
    SELECT format($query$
WITH RECURSIVE direct AS MATERIALIZED (SELECT d.* FROM retention._effects(%1$L, ($1 ->> 0)::timestamptz,
    ($1 ->> 1)::bigint, nullif($1 -> 2, 'null'), ($1 ->> 3)::interval) d),
moved AS MATERIALIZED (SELECT d.rel, d.tid, d.step, s.sets, s.nulls FROM direct d JOIN (
    SELECT e.step, array_agg(c.key) AS sets,
           coalesce(array_agg(c.key) FILTER (WHERE lower(c.value) = 'null'), '{}') AS nulls
    FROM retention.policy p, jsonb_to_recordset(p.steps) e (step integer, verb text, "set" jsonb),
         jsonb_each_text(CASE WHEN e.verb = 'update' THEN e."set" END) c
    WHERE p.name = %1$L GROUP BY 1) s ON s.step = d.step WHERE d.tid IS NOT NULL),
gone (step, rel, tid, n) AS (
    SELECT d.step, d.rel, d.tid, 0 FROM direct d WHERE d.verb = 'delete' AND d.tid IS NOT NULL
    UNION%4$s (WITH w AS (SELECT g.* FROM gone g) %2$s)),
taken AS MATERIALIZED (SELECT g.rel, g.tid, min(g.step) AS step, min(g.step * 10000 + g.n) AS way
    FROM gone g GROUP BY g.rel, g.tid)
SELECT t.step, t.way %% 10000 AS key, CASE WHEN t.way %% 10000 = 0 THEN 'delete' ELSE 'cascade' END AS verb,
       t.rel, NULL::text AS table_name, count(*) AS n, NULL::text AS note
FROM taken t GROUP BY 1, 2, 4
UNION ALL
SELECT d.step, 0, d.verb, d.rel, max(d.table_name), coalesce(sum(d.n), nullif(count(d.tid), 0)), max(d.note)
FROM direct d WHERE d.verb <> 'delete' GROUP BY d.step, d.verb, d.rel, d.note
UNION ALL
SELECT d.step, 0, 'note', NULL, NULL, 0, d.note FROM direct d WHERE d.note IS NOT NULL
    AND d.verb NOT IN ('unknown', 'refused')
    GROUP BY d.step, d.note%3$s$query$,
        p_policy,
        coalesce(string_agg(format(
            'SELECT w.step, c.tableoid AS rel, c.ctid AS tid, %s AS n FROM w JOIN %s WHERE true%s',
            k.n, k.children, k.unmoved), ' UNION ALL ' ORDER BY k.n) FILTER (WHERE k.action = 'c'),
            'SELECT w.* FROM w WHERE false'),
        concat(string_agg(format(
            ' UNION ALL SELECT o.step, %s, %L, o.rel, NULL, count(*), NULL
              FROM (SELECT c.tableoid AS rel, c.ctid AS tid, min(w.step) AS step FROM taken w JOIN %s
                    LEFT JOIN taken x ON x.rel = c.tableoid AND x.tid = c.ctid WHERE (%s)%s
                    GROUP BY 1, 2) o GROUP BY 1, 4',
            k.n, CASE k.action WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE 'blocked' END, k.children,
            k.stay, k.unmoved), '' ORDER BY k.n) FILTER (WHERE k.action <> 'c'),
        string_agg(format(
            ' UNION ALL SELECT 0, %s, ''unsure'', NULL, NULL, count(*), NULL FROM moved u
              WHERE u.rel IN (SELECT retention._descendants(ARRAY[%s]::oid[])) AND u.sets && %L::text[]
                AND NOT u.nulls && %3$L::text[] HAVING count(*) > 0', k.n, k.child_root, k.columns), '' ORDER BY k.n)),
        -- If keys form a cycle, UNION ends the recursion. Otherwise UNION ALL is cheaper.
        CASE WHEN NOT EXISTS (SELECT FROM path p WHERE p.top = p.reached) THEN ' ALL' END)
    FROM key k
$function$;
