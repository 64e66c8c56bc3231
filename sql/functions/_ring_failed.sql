-- Notes in the runs of this session that the bell did not ring.
CREATE OR REPLACE FUNCTION retention._ring_failed(p_runs bigint[], p_message text) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT retention._add_note(r.id, format('no NOTIFY: %s', p_message))
    FROM retention.run r WHERE r.id = ANY (p_runs) AND r.pid = pg_backend_pid()
$function$;
REVOKE ALL ON FUNCTION retention._ring_failed(bigint[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._ring_failed(bigint[], text) TO retention_runner, retention_operator;
