-- One batch of a pass, by _batch_as_worker. Functions of the worker's, this one and its kin, evaluate policies, and
-- have no code that whoever acts as the worker could change: the owner's functions that they call do it, whose settings
-- nobody else can alter. Here no name is looked up in a search_path, since the worker may set another.
CREATE OR REPLACE FUNCTION retention._batch(
    p_policy retention.policy, p_slice retention.slice, p_rows integer, p_skip boolean, p_lock boolean)
RETURNS retention.batch_result LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out CONSTANT retention.batch_result := retention._batch_as_worker(p_policy, p_slice, p_rows, p_skip, p_lock);
BEGIN
    PERFORM retention._check_search_path();
    RETURN v_out;
END $function$;
