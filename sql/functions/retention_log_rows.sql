-- The runs that the built-in policy takes at an instant.
CREATE OR REPLACE FUNCTION retention.retention_log_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t retention.run, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT 'retention.run'::regclass::oid, NULL::tid, r.*::retention.run, NULL::text FROM retention._old_runs(($1).as_of) r
$function$;
REVOKE ALL ON FUNCTION retention.retention_log_rows(retention.slice) FROM PUBLIC;
