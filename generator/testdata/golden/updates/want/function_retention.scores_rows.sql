-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.scores_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    LEFT JOIN app.owner o ON (o.id = t.owner_id)
    LEFT JOIN LATERAL (SELECT o.days * 0.5 AS score) d ON true WHERE (t.score IS DISTINCT FROM d.score)
$function$;

-- to drop it
