-- as owner
-- Which rows policy notes_grace is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.note whose expires_at is past by 1 year 2 months 3 days 245 minutes.
--   SELECT (r.t).* FROM retention.notes_grace_rows(retention.at('notes_grace', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.notes_grace_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN ($1).held
                AND (EXISTS (SELECT FROM retention.hold h
                             WHERE h.table_name = 'app.note' AND h.by_column IS NULL
                               AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                               AND h.key = ARRAY[t.id::text])
                     OR ((SELECT retention._owner_holds('app.note', ($1).as_of))
                         AND retention._held_by_owner('app.note', to_jsonb(t.*), ($1).as_of))) THEN 'hold'
           END
    FROM app.note t
    WHERE (t.kind = 'draft' AND NOT t.starred)
      AND t.expires_at <= retention._cutoff(($1).as_of, 14, 3, '04:05:00', 'UTC')
$function$;
REVOKE ALL ON FUNCTION retention.notes_grace_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.notes_grace_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.notes_grace_rows(retention.slice)
    IS 'pgretain: which rows policy notes_grace is about';

-- to drop it
