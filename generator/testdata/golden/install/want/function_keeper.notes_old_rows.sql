-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION keeper.notes_old_rows(slice keeper.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN (EXISTS (SELECT FROM app.review WHERE note_id = t.id)) THEN 'reviewed'
               WHEN (EXISTS (SELECT FROM app.review WHERE note_id = t.id)) IS NULL THEN 'reviewed' || '?'
           END FROM app.note t WHERE t.made_at < keeper._cutoff(($1).as_of, 0, 7, '00:00:00', 'America/New_York')
$function$;

-- to drop it
