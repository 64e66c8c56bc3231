-- _batch executes one batch of a pass, by _batch_as_worker. The worker owns this function and
-- others that evaluate policies. They contain almost no code, since a role that acts as the worker
-- could change it. The owner's functions that they call do the work. No name is looked up in a
-- search_path here, because the worker may set another one.
CREATE OR REPLACE FUNCTION retention._batch(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_skip boolean, p_lock boolean)
RETURNS retention.batch_result LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out CONSTANT retention.batch_result := retention._batch_as_worker(p_policy, p_batch, p_rows, p_skip, p_lock);
BEGIN
    PERFORM retention._check_search_path();
    RETURN v_out;
END $function$;
