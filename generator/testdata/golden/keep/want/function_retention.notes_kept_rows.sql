-- as owner
-- Which rows policy notes_kept is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.note whose made_at is older than 7 days.
--   SELECT (r.t).* FROM retention.notes_kept_rows(retention.at('notes_kept', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.notes_kept_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text)
LANGUAGE sql STABLE
AS $function$
    WITH places_tagged AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               row_number() OVER (
                   PARTITION BY t.owner_id
                   ORDER BY t.id DESC) AS place
        FROM app.note t
        WHERE (t.tag IS NOT NULL AND NOT ((t.starred) IS NOT FALSE))
    ), places_one_a_day AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               rank() OVER (
                   PARTITION BY t.owner_id, (date_trunc('day', t.made_at))::text
                   ORDER BY t.made_at DESC) AS place
        FROM app.note t
        WHERE true
    )
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN (t.starred) THEN 'starred'
               WHEN (t.starred) IS NULL THEN 'starred' || '?'
               WHEN (EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id AND r.open)) THEN 'open_review'
               WHEN (EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id AND r.open)) IS NULL THEN 'open_review' || '?'
               WHEN places_tagged.place <= 2 THEN 'tagged'
               WHEN places_one_a_day.place <= 1 THEN 'one_a_day'
           END
    FROM app.note t
    LEFT JOIN places_tagged ON places_tagged.rel = t.tableoid AND places_tagged.tid = t.ctid
    LEFT JOIN places_one_a_day ON places_one_a_day.rel = t.tableoid AND places_one_a_day.tid = t.ctid
    WHERE t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')
$function$;
REVOKE ALL ON FUNCTION retention.notes_kept_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.notes_kept_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.notes_kept_rows(retention.slice)
    IS 'pgretain: which rows policy notes_kept is about';

-- to drop it
