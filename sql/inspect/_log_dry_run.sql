-- _log_dry_run calls _dry_run and writes its runs into the run log. When it writes, the runs are
-- rolled back and their locks are released. It returns the numbers of the runs, in order.
CREATE OR REPLACE FUNCTION retention._log_dry_run(p_policies text[], p_request retention.request, p_strict boolean)
RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_runs CONSTANT retention.run[] := retention._dry_run(p_policies, p_request, p_strict);
BEGIN
    INSERT INTO retention.run OVERRIDING SYSTEM VALUE SELECT r.* FROM unnest(v_runs) r;
    RETURN ARRAY(SELECT r.id FROM unnest(v_runs) WITH ORDINALITY r ORDER BY r.ordinality);
END $function$;
