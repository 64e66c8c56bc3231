-- How many runs the built-in policy would take at an instant.
CREATE OR REPLACE FUNCTION retention.retention_log_count(
    p_as_of timestamptz, p_limit bigint DEFAULT NULL, p_guards boolean DEFAULT true,
    p_scope jsonb DEFAULT NULL, p_older_than interval DEFAULT NULL)
RETURNS retention.due_count
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT count(*), '{}'::jsonb, min(o.ended_at)::text, max(o.ended_at)::text,
           coalesce(count(*) >= p_limit, false), NULL::jsonb
    FROM (SELECT r.ended_at FROM retention._old_runs(p_as_of) r LIMIT p_limit) o
$function$;
REVOKE ALL ON FUNCTION retention.retention_log_count(timestamptz, bigint, boolean, jsonb, interval) FROM PUBLIC;
