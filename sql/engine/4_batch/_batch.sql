-- _batch executes one batch of a pass, by _batch_as_worker. The worker owns this function, and
-- other functions that evaluate policies. These functions contain almost no code, because a role
-- that can become the worker could change them. They call functions of the owner to do the work.
-- Names are not looked up in a search_path here, because the worker may set another one.
CREATE OR REPLACE FUNCTION retention._batch(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_skip boolean, p_lock boolean)
RETURNS retention.batch_result LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out CONSTANT retention.batch_result := retention._batch_as_worker(p_policy, p_batch, p_rows, p_skip, p_lock);
BEGIN
    PERFORM retention._check_search_path();
    RETURN v_out;
END $function$;
