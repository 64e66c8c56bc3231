-- Brings back what is kept of a run, by _restore_as_worker.
CREATE OR REPLACE FUNCTION retention._restore(
    p_policy retention.policy, p_run bigint, p_until timestamptz, OUT restored bigint, OUT refused bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    SELECT r.* INTO restored, refused FROM retention._restore_as_worker(p_policy, p_run, p_until) r;
    PERFORM retention._path_kept();
END $function$;
