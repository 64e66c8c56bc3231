-- Notes in the runs of this session what failed after they had ended.
CREATE OR REPLACE FUNCTION retention._note_failure(p_runs bigint[], p_what text, p_message text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
    UPDATE retention.run r SET note = concat_ws('; ', r.note, format('%s: %s', p_what, p_message))
    WHERE r.id = ANY (p_runs) AND r.pid = pg_backend_pid()
$function$;
