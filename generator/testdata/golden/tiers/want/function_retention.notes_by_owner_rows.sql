-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.notes_by_owner_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    LEFT JOIN app.owner o ON (o.id = t.owner_id)
    WHERE t.made_at < greatest(retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC'), retention._cutoff(($1).as_of, 0, 90, '00:00:00', 'UTC'))
      AND t.made_at < CASE WHEN (o.enabled) THEN retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC') WHEN (t.state = 'open' OR t.score IS NULL) THEN retention._cutoff(($1).as_of, 0, 90, '00:00:00', 'UTC') END
$function$;

-- to drop it
