-- What a policy needs to know once a run, by _prepare_as_worker.
CREATE OR REPLACE FUNCTION retention._prepare(p_run retention.run) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out CONSTANT pg_catalog.jsonb := retention._prepare_as_worker(p_run);
BEGIN
    PERFORM retention._path_kept();
    RETURN v_out;
END $function$;
