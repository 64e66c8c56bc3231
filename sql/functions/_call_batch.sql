-- Runs one batch function of a pass. Takes the pass's fast function (RANGE) when it has one and
-- nothing speaks against it, else the one that locks first (LOCKED); a RANGE function that finds
-- less than a whole batch leaves it to LOCKED.
CREATE OR REPLACE FUNCTION retention._call_batch(
    p_run bigint, p_pass jsonb, p_locked boolean, OUT mode text, OUT result retention.batch_result)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF p_pass ->> 'range' IS NOT NULL AND NOT p_locked THEN
        mode := 'range';
        EXECUTE format('SELECT * FROM retention.%I($1)', p_pass ->> 'range')
        INTO result USING p_run;
        IF result.outcome <> 'tail' THEN
            RETURN;
        END IF;
    END IF;
    mode := 'locked';
    EXECUTE format('SELECT * FROM retention.%I($1)', p_pass ->> 'locked') INTO result USING p_run;
END
$function$;
REVOKE ALL ON FUNCTION retention._call_batch(bigint, jsonb, boolean) FROM PUBLIC;
