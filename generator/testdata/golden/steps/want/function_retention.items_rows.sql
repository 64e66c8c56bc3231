-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.items_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.item, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN (NOT EXISTS (SELECT FROM app.loan l WHERE l.note_id = t.id)) IS NOT TRUE THEN 'passed'
           END FROM app.item t WHERE t.at < retention._cutoff(($1).as_of, 0, 90, '00:00:00', 'UTC')
$function$;

-- to drop it
