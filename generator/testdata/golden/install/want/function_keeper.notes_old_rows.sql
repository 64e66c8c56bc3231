-- as owner
-- Which rows policy notes_old is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.note whose made_at is older than 7 days.
--   SELECT (r.t).* FROM keeper.notes_old_rows(keeper.at('notes_old', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION keeper.notes_old_rows(slice keeper.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN ($1).held
                AND (EXISTS (SELECT FROM keeper.hold h
                             WHERE h.table_name = 'app.note' AND h.by_column IS NULL
                               AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                               AND h.key = ARRAY[t.id::text])
                     OR ((SELECT keeper._owner_holds('app.note', ($1).as_of))
                         AND keeper._held_by_owner('app.note', to_jsonb(t.*), ($1).as_of))) THEN 'hold'
               WHEN (EXISTS (SELECT FROM review WHERE note_id = t.id)) THEN 'reviewed'
               WHEN (EXISTS (SELECT FROM review WHERE note_id = t.id)) IS NULL THEN 'reviewed' || '?'
           END
    FROM app.note t
    WHERE t.made_at < keeper._cutoff(($1).as_of, 0, 7, '00:00:00', 'America/New_York')
$function$;
REVOKE ALL ON FUNCTION keeper.notes_old_rows(keeper.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keeper.notes_old_rows(keeper.slice)
    TO keeper_operator, keeper_viewer;
COMMENT ON FUNCTION keeper.notes_old_rows(keeper.slice)
    IS 'pgretain: which rows policy notes_old is about';

-- to drop it
