-- as owner
-- The rows that policy long_names would take at an instant, for people:
--   SELECT * FROM retention.long_names_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.long_names_due(p_as_of timestamptz)
RETURNS SETOF "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
    WHERE t."t" < retention._cutoff(p_as_of, 0, 7, '00:00:00', 'UTC')
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."end"::text])
      AND NOT ((SELECT retention._owner_holds('Se"lect.012345678901234567890123456789012345678901234567890123456789éa', p_as_of))
               AND retention._held_by_owner('Se"lect.012345678901234567890123456789012345678901234567890123456789éa', to_jsonb(t.*), p_as_of))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      JOIN "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" reached_1 ON h.key = ARRAY[reached_1."end"::text]
                      WHERE h.table_name = 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND reached_1."batch" = t."end")
      AND NOT ((SELECT retention._owner_holds('Se"lect.012345678901234567890123456789012345678901234567890123456789éa', p_as_of))
               AND EXISTS (SELECT FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" reached_1
                           WHERE reached_1."batch" = t."end"
                             AND retention._held_by_owner('Se"lect.012345678901234567890123456789012345678901234567890123456789éa', to_jsonb(reached_1.*), p_as_of)))
$function$;
REVOKE ALL ON FUNCTION retention.long_names_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.long_names_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.long_names_due(timestamp with time zone)
    IS 'pgretain: the rows that policy long_names would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.long_names_due(timestamp with time zone);
