-- as owner
-- The rows that policy by_state would take at an instant, for people:
--   SELECT * FROM retention.by_state_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.by_state_due(p_as_of timestamptz)
RETURNS SETOF "app"."not_served"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."not_served" t
    WHERE (t.state = 'done' AND t.owner_id IN (1, 2))
      AND t."at" < retention._cutoff(p_as_of, 12, 0, '00:00:00', 'UTC')
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.not_served' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.not_served', p_as_of))
               AND retention._held_by_owner('app.not_served', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.by_state_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.by_state_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.by_state_due(timestamp with time zone)
    IS 'pgretain: the rows that policy by_state would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.by_state_due(timestamp with time zone);
