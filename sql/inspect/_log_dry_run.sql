-- _log_dry_run writes the runs of _dry_run into the run log, after they are undone and their locks
-- are released. It returns their numbers, in order.
CREATE OR REPLACE FUNCTION retention._log_dry_run(p_policies text[], p_request retention.request, p_strict boolean)
RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_runs CONSTANT retention.run[] := retention._dry_run(p_policies, p_request, p_strict);
BEGIN
    INSERT INTO retention.run OVERRIDING SYSTEM VALUE SELECT r.* FROM unnest(v_runs) r;
    RETURN ARRAY(SELECT r.id FROM unnest(v_runs) WITH ORDINALITY r ORDER BY r.ordinality);
END $function$;
