-- as owner
-- Which rows policy a_policy_name_of_forty_bytes_0123456789a is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa past the first 2 per "batch". Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa whose t is older than 1 year past the first 9.
--   SELECT (r.t).* FROM retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.at('a_policy_name_of_forty_bytes_0123456789a', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa", verdict text)
LANGUAGE sql STABLE
AS $function$
    WITH places_beyond_1 AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               row_number() OVER (
                   PARTITION BY t."batch"
                   ORDER BY t."end" DESC) AS place
        FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
        WHERE true
    ), places_beyond_2 AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               row_number() OVER (
                   ORDER BY t."t" DESC, t."end" DESC) AS place
        FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
        WHERE true
    )
    SELECT t.tableoid, t.ctid, t.*::"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa", NULL::text
    FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
    LEFT JOIN places_beyond_1 ON places_beyond_1.rel = t.tableoid AND places_beyond_1.tid = t.ctid
    LEFT JOIN places_beyond_2 ON places_beyond_2.rel = t.tableoid AND places_beyond_2.tid = t.ctid
    WHERE ((places_beyond_1.place > 2)
           OR (t.t < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')
               AND places_beyond_2.place > 9))
$function$;
REVOKE ALL ON FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.slice)
    IS 'pgretain: which rows policy a_policy_name_of_forty_bytes_0123456789a is about';

-- to drop it
