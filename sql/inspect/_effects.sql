-- _effects returns what the steps of a policy would do to p_limit due rows, or to all due rows if
-- p_limit is NULL. A result row is one of these:
-- - a row that would be deleted or changed (rel, tid)
-- - a table or partition that would be dropped or detached (rel)
-- - a number of rows (n)
-- verb "refused", without a note: n rows whose key an archive already has
-- verb "refused", with a note: n rows name a table that a run refuses to drop
-- verb "unknown": note says why the numbers of a step differ from those of a run. Step 0 stands for
-- all numbers.
CREATE OR REPLACE FUNCTION retention._effects(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_scope jsonb, p_older_than interval)
RETURNS TABLE (step integer, verb text, table_name text, rel oid, tid tid, n bigint, note text)
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_steps CONSTANT text := retention._step_query(v_policy);
    v_own CONSTANT text := CASE WHEN NOT v_policy.partitions THEN retention._table(v_policy.table_name)::regclass END;
    v_found text;
BEGIN
    SELECT string_agg(CASE
               WHEN e.blind THEN format('SELECT %s, %L, %L, NULL, NULL, NULL, NULL WHERE EXISTS (SELECT FROM _batch)',
                   e.step, e.verb, e."table")
               WHEN e.verb IN ('delete', 'update') THEN format(
                   'SELECT %1$s, %2$L, %3$L, s.rel, s.tid, NULL, %4$s FROM _step_%1$s s %5$s',
                   e.step, e.verb, e."table",
                   CASE WHEN e.related IS NULL THEN 'NULL' ELSE
                       'CASE WHEN NOT bool_and(s.changes) THEN '
                           '''several due rows have different values for one row: batches decide'' END' END,
                   CASE WHEN e.related IS NULL THEN 'WHERE s.changes'
                       ELSE 'GROUP BY s.rel, s.tid HAVING bool_or(s.changes)' END)
               WHEN e.verb IN ('detach', 'drop') THEN format(
                   'SELECT %s, %L, %L, s.rel, NULL, NULL, NULL FROM _step_%1$s s', e.step, e.verb, e."table")
               WHEN e.verb = 'drop table' THEN format(
                   'SELECT %1$s, CASE WHEN r.reason IS NULL THEN %2$L ELSE ''refused'' END,
                        CASE WHEN r.rel IS NULL THEN %5$L END, r.rel, NULL,
                        CASE WHEN r.reason IS NOT NULL THEN sum(w.n)::bigint END, r.reason
                    FROM (SELECT (%3$s)::text AS name, count(*) AS n
                          %4$s JOIN _step_%1$s s ON t.tableoid = s.rel AND t.ctid = s.tid GROUP BY 1) w
                        CROSS JOIN LATERAL retention._drop_refusal(w.name, $3, $5) r
                    WHERE r.rel IS NOT NULL OR r.reason IS NOT NULL GROUP BY r.rel, r.reason',
                   e.step, e.verb, e.name, coalesce(v_policy.joined, format('FROM %s t', v_own)), v_policy.table_name)
               ELSE format('SELECT %s, %L, %L, NULL, NULL, count(%s), NULL FROM _step_%s s', e.step, e.verb, e."table",
                           CASE WHEN e.related IS NULL THEN '*' ELSE 'DISTINCT (s.rel, s.tid)' END, e.step) END
           || CASE WHEN e.key IS NULL OR e.blind THEN '' ELSE format('
                               UNION ALL
                               SELECT %1$s, ''refused'', %2$L, NULL, NULL, count(DISTINCT (s.rel, s.tid)), NULL
                               FROM _step_%1$s s JOIN %3$s o ON o.tableoid = s.rel AND o.ctid = s.tid
                                   JOIN %4$s a ON %5$s',
                   e.step, e."table", coalesce(retention._table(e.related)::regclass::text, v_own),
                   retention._table(e."table")::regclass, (SELECT string_agg(format('a.%I = o.%I', k.key, k.value),
                       ' AND ') FROM jsonb_each_text(e.key) k)) END,
           ' UNION ALL ')
    INTO v_found
    FROM jsonb_to_recordset(v_policy.steps) e(step integer, verb text, "table" text, related text,
        name text, key jsonb, blind boolean)
    WHERE e.step > 0;
    RETURN QUERY EXECUTE format(
        'WITH _found AS MATERIALIZED (SELECT d.rel, d.tid FROM %s WHERE d.verdict IS NULL
            OR d.verdict = ''passed''),
         _held AS MATERIALIZED (
             SELECT h.rel, h.tid
             FROM retention._held($3, ARRAY(SELECT f.rel FROM _found f), ARRAY(SELECT f.tid FROM _found f), $5, false) h
             WHERE $4),
         _batch AS MATERIALIZED (
             SELECT f.rel, f.tid, 1 AS n FROM _found f WHERE (f.rel, f.tid) NOT IN (SELECT h.rel, h.tid FROM _held h)
                 LIMIT $2)%s
         SELECT 0, ''due'', NULL::text, NULL::oid, NULL::tid, count(*), NULL::text FROM _batch
         UNION ALL
         SELECT (e.value ->> ''step'')::integer, ''unknown'', NULL, NULL, NULL, NULL, w.why
         FROM jsonb_array_elements($6) e CROSS JOIN jsonb_array_elements_text(e.value -> ''notes'') w(why)
         WHERE EXISTS (SELECT FROM _batch)
         UNION ALL %s', retention._rows_call(v_policy), v_steps, v_found)
    USING retention._batch_range(p_as_of, p_older_than, p_scope), p_limit, p_policy,
          NOT v_policy.partitions AND retention._holds(p_policy, p_as_of), p_as_of, v_policy.steps;
END $function$;
