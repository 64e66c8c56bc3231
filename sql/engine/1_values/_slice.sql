-- _slice returns a slice of all rows that a policy is about at a given time.
CREATE OR REPLACE FUNCTION retention._slice(
    p_as_of timestamptz, p_older_than interval DEFAULT NULL, p_scope jsonb DEFAULT NULL) RETURNS retention.slice
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_slice retention.slice;
BEGIN
    v_slice.as_of := p_as_of; v_slice.older_than := p_older_than; v_slice.scope := p_scope; v_slice.prove := false;
    RETURN v_slice;
END $function$;
