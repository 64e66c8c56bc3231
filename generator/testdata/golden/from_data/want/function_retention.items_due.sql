-- as owner
-- The rows that policy items would take at an instant, for people:
--   SELECT * FROM retention.items_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.items_due(p_as_of timestamptz)
RETURNS SETOF "app"."note"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."note" t
    LEFT JOIN "app"."owner" "o" ON (o.id = t.owner_id)
    LEFT JOIN (SELECT kind, max(days) AS days FROM app.config WHERE p_as_of IS NOT NULL GROUP BY kind) "c" ON (c.kind = t.kind)
    CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1
    WHERE t."made_at" < (CASE
                             WHEN v_window_1_1.value IS NULL THEN retention._cutoff_of(p_as_of, coalesce((SELECT retention.window_of('items')), '0 months 30 days 00:00:00'), 'UTC')
                             WHEN v_window_1_1.value IN (-1) THEN NULL
                             WHEN v_window_1_1.value <= 0 OR v_window_1_1.value > 365000 THEN NULL
                             ELSE greatest(retention._cutoff(p_as_of, 0, 365, '00:00:00', 'UTC'), least(retention._cutoff(p_as_of, 0, 7, '00:00:00', 'UTC'), (p_as_of AT TIME ZONE 'UTC' - v_window_1_1.value * interval '1 day') AT TIME ZONE 'UTC'))
                         END)
      AND t."made_at" <= (SELECT max(used_at) FROM app.loan)::timestamptz
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.note' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.note', p_as_of))
               AND retention._held_by_owner('app.note', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.items_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.items_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.items_due(timestamp with time zone)
    IS 'pgretain: the rows that policy items would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.items_due(timestamp with time zone);
