-- as owner
-- The rows that policy snow would take at an instant, for people:
--   SELECT * FROM retention.snow_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.snow_due(p_as_of timestamptz)
RETURNS SETOF "app"."clocks"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."clocks" t
    WHERE t."snow" < retention._snowflake_floor(retention._cutoff(p_as_of, 0, 7, '00:00:00', 'UTC'), 1288834974657, 22)
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.clocks' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.clocks', p_as_of))
               AND retention._held_by_owner('app.clocks', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.snow_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.snow_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.snow_due(timestamp with time zone)
    IS 'pgretain: the rows that policy snow would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.snow_due(timestamp with time zone);
