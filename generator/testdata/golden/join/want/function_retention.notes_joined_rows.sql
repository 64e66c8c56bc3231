-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.notes_joined_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN (l.used_at > ($1).as_of - interval '30 days') THEN 'lent'
               WHEN (l.used_at > ($1).as_of - interval '30 days') IS NULL THEN 'lent' || '?'
           END FROM app.note t
    LEFT JOIN app.owner o ON (o.id = t.owner_id)
    LEFT JOIN (SELECT s.* FROM retention.notes_joined_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.*
        FROM (SELECT kind, kept FROM app.config WHERE days > 0) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind)
    LEFT JOIN LATERAL (SELECT max(x.used_at) AS used_at FROM app.loan x WHERE x.note_id = t.id
        AND x.used_at < ($1).as_of) l ON true
    WHERE (NOT o.enabled AND c.kept IS NOT TRUE) AND t.made_at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')
$function$;

-- to drop it
