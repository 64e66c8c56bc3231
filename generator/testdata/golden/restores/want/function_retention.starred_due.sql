-- as owner
-- The rows that policy starred would take at an instant, for people:
--   SELECT * FROM retention.starred_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.starred_due(p_as_of timestamptz)
RETURNS SETOF "app"."note"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."note" t
    WHERE (NOT t.starred)
      AND t."expires_at" < retention._cutoff(p_as_of, 0, 0, '00:00:00', 'UTC')
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.note' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.note', p_as_of))
               AND retention._held_by_owner('app.note', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.starred_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.starred_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.starred_due(timestamp with time zone)
    IS 'pgretain: the rows that policy starred would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.starred_due(timestamp with time zone);
