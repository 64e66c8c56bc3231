-- as owner
-- Which rows policy by_timestamp is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.clocks whose at is older than 1 day.
--   SELECT (r.t).* FROM retention.by_timestamp_rows(retention.at('by_timestamp', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.by_timestamp_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.clocks, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text
    FROM app.clocks t
    WHERE t.at < retention._local_floor(retention._cutoff(($1).as_of, 0, 1, '00:00:00', 'Europe/Berlin'), 'Europe/Berlin', false)
$function$;

-- to drop it
