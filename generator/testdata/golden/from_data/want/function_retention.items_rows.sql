-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.items_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    LEFT JOIN app.owner o ON (o.id = t.owner_id)
    LEFT JOIN (SELECT s.* FROM retention.items_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind,
        max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) q WHERE ($1).inputs IS NULL) c
        ON (c.kind = t.kind)
    CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1
    WHERE t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')
      AND t.made_at <= CASE WHEN ($1).inputs IS NULL THEN (SELECT max(used_at) FROM app.loan)::timestamptz ELSE (($1).inputs ->> 'up_to_1')::timestamptz END
      AND t.made_at < (CASE
                           WHEN v_window_1_1.value IS NULL THEN retention._cutoff_of(($1).as_of, coalesce(($1).older_than, '0 months 30 days 00:00:00'), 'UTC')
                           WHEN v_window_1_1.value IN (-1) THEN NULL
                           WHEN v_window_1_1.value <= 0 OR v_window_1_1.value > 365000 THEN NULL
                           ELSE greatest(retention._cutoff(($1).as_of, 0, 365, '00:00:00', 'UTC'), least(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'), (($1).as_of AT TIME ZONE 'UTC' - v_window_1_1.value * interval '1 day') AT TIME ZONE 'UTC'))
                       END)
      AND ((($1).scope ->> 'owner_id')::bigint IS NULL OR t.owner_id = (($1).scope ->> 'owner_id')::bigint)
$function$;

-- to drop it
