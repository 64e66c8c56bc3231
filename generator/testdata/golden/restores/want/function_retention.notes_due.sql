-- as owner
-- The rows that policy notes would take at an instant, for people:
--   SELECT * FROM retention.notes_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.notes_due(p_as_of timestamptz)
RETURNS SETOF "app"."note"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."note" t
    WHERE t."made_at" < retention._cutoff(p_as_of, 0, 7, '00:00:00', 'UTC')
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.note' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.note', p_as_of))
               AND retention._held_by_owner('app.note', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.notes_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.notes_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.notes_due(timestamp with time zone)
    IS 'pgretain: the rows that policy notes would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.notes_due(timestamp with time zone);
