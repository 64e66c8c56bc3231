-- Adds a sentence to what the run log notes of a run.
CREATE OR REPLACE FUNCTION retention._add_note(p_run bigint, p_note text) RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $function$
    UPDATE retention.run r SET note = concat_ws('; ', r.note, p_note) WHERE r.id = p_run
$function$;
