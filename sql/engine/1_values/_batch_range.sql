-- _batch_range returns a batch_range without positions: all rows of a policy at a given time.
CREATE OR REPLACE FUNCTION retention._batch_range(
    p_as_of timestamptz, p_older_than interval DEFAULT NULL, p_scope jsonb DEFAULT NULL) RETURNS retention.batch_range
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_batch retention.batch_range;
BEGIN
    v_batch.as_of := p_as_of; v_batch.older_than := p_older_than; v_batch.scope := p_scope; v_batch.prove := false;
    RETURN v_batch;
END $function$;
