-- as owner
-- Which rows policy by_cast is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.clocks whose (key_text || '-01')::timestamptz is older than 1 hour.
--   SELECT (r.t).* FROM retention.by_cast_rows(retention.at('by_cast', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.by_cast_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.clocks, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text
    FROM app.clocks t
    WHERE ((t.key_text || '-01')::timestamptz) < retention._cutoff(($1).as_of, 0, 0, '01:00:00', 'Europe/Berlin')
$function$;

-- to drop it
