-- as owner
-- Which rows policy all_of_them is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.note.
--   SELECT (r.t).* FROM retention.all_of_them_rows(retention.at('all_of_them', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.all_of_them_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text
    FROM app.note t
    WHERE (true)
$function$;

-- to drop it
