-- as owner
-- Which rows policy notes_any is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.note past the first 50 per owner_id. Deletes rows of app.note whose made_at is older than 1 year. Deletes rows of app.note whose expires_at is past by 7 days. Deletes rows of app.note whose clock is NULL.
--   SELECT (r.t).* FROM retention.notes_any_rows(retention.at('notes_any', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.notes_any_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text)
LANGUAGE sql STABLE
AS $function$
    WITH places_beyond_3 AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               row_number() OVER (
                   PARTITION BY t.owner_id
                   ORDER BY t.made_at DESC, t.id DESC) AS place
        FROM app.note t
        WHERE (t.kind <> 'pinned')
    )
    SELECT t.tableoid, t.ctid, t, NULL::text
    FROM app.note t
    LEFT JOIN places_beyond_3 ON places_beyond_3.rel = t.tableoid AND places_beyond_3.tid = t.ctid
    WHERE (t.kind <> 'pinned')
      AND ((t.made_at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC'))
           OR ((t.expires_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))
               OR t.expires_at IS NULL)
           OR (places_beyond_3.place > 50))
$function$;
REVOKE ALL ON FUNCTION retention.notes_any_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.notes_any_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.notes_any_rows(retention.slice)
    IS 'pgretain: which rows policy notes_any is about';

-- to drop it
