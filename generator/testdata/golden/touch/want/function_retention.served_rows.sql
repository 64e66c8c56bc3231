-- as owner
-- Which rows policy served is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.served whose at is older than 30 days.
--   SELECT (r.t).* FROM retention.served_rows(retention.at('served', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.served_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.served, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN ($1).held
                AND (EXISTS (SELECT FROM retention.hold h
                             WHERE h.table_name = 'app.served' AND h.by_column IS NULL
                               AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                               AND h.key = ARRAY[t.id::text])
                     OR ((SELECT retention._owner_holds('app.served', ($1).as_of))
                         AND retention._held_by_owner('app.served', to_jsonb(t.*), ($1).as_of))) THEN 'hold'
           END
    FROM app.served t
    WHERE t.at < retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC')
$function$;
REVOKE ALL ON FUNCTION retention.served_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.served_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.served_rows(retention.slice)
    IS 'pgretain: which rows policy served is about';

-- to drop it
