-- as owner
-- Which rows policy loans is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go, unless they are held. The one definition: whatever counts, shows or compares rows asks it. Works off rows of app.loan by their id.
--   SELECT (r.t).* FROM retention.loans_rows(retention.at('loans', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.loans_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.loan, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text
    FROM app.loan t
    WHERE t.id > (SELECT t.id FROM app.rolled t WHERE (t.what = 'loan'))
$function$;

-- to drop it
