-- _step_query returns SQL for the rows on which each step acts. The SQL continues a WITH list that
-- begins with _batch (rel, tid, n). For step 2 it adds the query _step_2, with the columns n, rel,
-- tid and changes. Conditions see tables without the rows that earlier steps delete. In the SQL, $1
-- is a batch_range.
CREATE OR REPLACE FUNCTION retention._step_query(p_policy retention.policy) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH step AS (
        SELECT e.*, e."where" IS NULL AND e.differs IS NULL AND e.related IS NULL AS whole
        FROM jsonb_to_recordset(p_policy.steps) e(step integer, verb text, "table" text, related text,
            "as" text, "on" text, "where" text, differs text, blind boolean)
        WHERE e.step > 0 AND e.blind IS NOT TRUE
    )
    SELECT coalesce(string_agg(format(', _step_%s AS MATERIALIZED (%s%s)', s.step, 'WITH ' || b.rest || ' ', CASE
               WHEN s.whole AND b.gone IS NULL THEN 'SELECT _batch.n, _batch.rel, _batch.tid, true AS changes
                   FROM _batch'
               ELSE format('SELECT _batch.n, %1$I.tableoid AS rel, %1$I.ctid AS tid, %2$s AS changes %3$s'
                           ' JOIN _batch ON t.tableoid = _batch.rel AND t.ctid = _batch.tid%4$s WHERE %5$s',
                   coalesce(s."as", 't'), coalesce('(' || s.differs || ')', 'true'),
                   coalesce(p_policy.joined, format('FROM %s t', retention._table(p_policy.table_name)::regclass)),
                   CASE WHEN s.related IS NOT NULL THEN format(' JOIN %s %I ON (%s)',
                       retention._table(s.related)::regclass, s."as", s."on") END,
                   concat_ws(' AND ', coalesce('(' || s."where" || ')', 'true'), b.gone)) END),
           '' ORDER BY s.step), '')
    FROM step s
    CROSS JOIN LATERAL (
        SELECT string_agg(format('%I AS NOT MATERIALIZED (SELECT o.* FROM %s o WHERE %s)', 'rest of ' || x."table",
                                 retention._table(x."table")::regclass, format(x.gone, 'o')), ', ') AS rest,
               string_agg(format(x.gone, quote_ident(coalesce(s."as", 't'))), '')
                   FILTER (WHERE x."table" = coalesce(s.related, s."table")
                       AND (s.related IS NOT NULL OR s.verb IN ('delete', 'update'))) AS gone
        FROM (SELECT d."table", string_agg(format('NOT EXISTS (SELECT FROM _step_%s WHERE _step_%1$s.tid = %%1$s.ctid
                  AND _step_%1$s.rel = %%1$s.tableoid)', d.step),
                                           ' AND ') AS gone
              FROM step d WHERE d.verb = 'delete' AND d.step < s.step GROUP BY d."table") x) b
$function$;
