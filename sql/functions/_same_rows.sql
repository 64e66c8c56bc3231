-- Whether two runs of a policy look at the same rows: neither is a dry run, and scope and window are
-- the same. Intervals are compared as they are spelled, since 1 month and 30 days are equal otherwise.
CREATE OR REPLACE FUNCTION retention._same_rows(p_one retention.run, p_other retention.run) RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT NOT p_one.dry_run AND NOT p_other.dry_run
       AND p_one.scope IS NOT DISTINCT FROM p_other.scope
       AND p_one.older_than::text IS NOT DISTINCT FROM p_other.older_than::text
$function$;
