-- as owner
-- Which rows policy by_key is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.served.
--   SELECT (r.t).* FROM retention.by_key_rows(retention.at('by_key', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.by_key_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.served, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text
    FROM app.served t
    WHERE (true)
$function$;

-- to drop it
