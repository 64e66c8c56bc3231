-- Calls a policy's own count function. p_guards false leaves "keep" and holds out: an upper bound
-- that costs much less. p_scope narrows what is counted, p_older_than is a window for this once.
CREATE OR REPLACE FUNCTION retention._count(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_guards boolean,
    p_scope jsonb DEFAULT NULL, p_older_than interval DEFAULT NULL)
RETURNS retention.due_count
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_count retention.due_count;
BEGIN
    EXECUTE format('SELECT * FROM retention.%I($1, $2, $3, $4, $5)', p_policy || '_count')
    INTO v_count USING p_as_of, p_limit, p_guards, p_scope, p_older_than;
    RETURN v_count;
END
$function$;
REVOKE ALL ON FUNCTION retention._count(text, timestamptz, bigint, boolean, jsonb, interval) FROM PUBLIC;
