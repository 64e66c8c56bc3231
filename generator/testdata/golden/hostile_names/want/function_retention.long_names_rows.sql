-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.long_names_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa", verdict text)
LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t.*::"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa", NULL::text
    FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
    WHERE t.t < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')
$function$;

-- to drop it
