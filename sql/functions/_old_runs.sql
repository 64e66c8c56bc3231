-- The runs that the built-in policy takes at an instant.
CREATE OR REPLACE FUNCTION retention._old_runs(p_as_of timestamptz) RETURNS SETOF retention.run
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT r.* FROM retention.run r
    WHERE r.ended_at < p_as_of - (SELECT i.log_window FROM retention.install i)
      AND r.state <> 'running'
      AND r.id IS DISTINCT FROM (SELECT max(n.id) FROM retention.run n
                                 WHERE n.policy = r.policy AND NOT n.dry_run)
      AND r.id IS DISTINCT FROM (SELECT max(n.id) FROM retention.run n
                                 WHERE n.policy = r.policy AND n.state IN ('done', 'more') AND NOT n.dry_run)
$function$;
REVOKE ALL ON FUNCTION retention._old_runs(timestamptz) FROM PUBLIC;
