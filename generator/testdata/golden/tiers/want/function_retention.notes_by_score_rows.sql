-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.notes_by_score_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    WHERE t.made_at < greatest(retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC'), retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))
      AND t.made_at < CASE WHEN (t.score >= 0.5) THEN retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC') WHEN (t.starred) THEN NULL ELSE retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC') END
$function$;

-- to drop it
