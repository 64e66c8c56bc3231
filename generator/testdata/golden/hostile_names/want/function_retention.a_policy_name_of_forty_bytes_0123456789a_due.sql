-- as owner
-- The rows that policy a_policy_name_of_forty_bytes_0123456789a would take at an instant, for people:
--   SELECT * FROM retention.a_policy_name_of_forty_bytes_0123456789a_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_due(p_as_of timestamptz)
RETURNS SETOF "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
    WHERE (((t.tableoid, t.ctid) IN (
                SELECT r.rel, r.tid
                FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                             row_number() OVER (
                                 PARTITION BY t."batch"
                                 ORDER BY t."end" DESC) AS place
                      FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
                      WHERE true) r
                WHERE r.place > 2))
           OR (t."t" < retention._cutoff(p_as_of, 12, 0, '00:00:00', 'UTC')
               AND (t.tableoid, t.ctid) IN (
                       SELECT r.rel, r.tid
                       FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                                    row_number() OVER (
                                        ORDER BY t."t" DESC, t."end" DESC) AS place
                             FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
                             WHERE true) r
                       WHERE r.place > 9)))
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
REVOKE ALL ON FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_due(timestamp with time zone)
    IS 'pgretain: the rows that policy a_policy_name_of_forty_bytes_0123456789a would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.a_policy_name_of_forty_bytes_0123456789a_due(timestamp with time zone);
