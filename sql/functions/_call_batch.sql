-- Runs one batch function of a pass: the fast one (RANGE) when the pass has one and nothing speaks
-- against it, else the one that locks first (LOCKED): so does the first batch of every run, which
-- has no position to start from. RANGE waits for a row a tenth of
-- lock_timeout only: when it has to wait, LOCKED is the better way.
-- No search_path of its own: only pinned functions may call it, and every batch does.
CREATE OR REPLACE FUNCTION retention._call_batch(
    p_run bigint, p_pass jsonb, p_lock_timeout_ms integer, p_locked boolean,
    OUT mode text, OUT result retention.batch_result)
LANGUAGE plpgsql
AS $function$
BEGIN
    mode := CASE WHEN p_pass ->> 'range' IS NOT NULL AND NOT p_locked THEN 'range' ELSE 'locked' END;
    IF mode = 'range' THEN
        PERFORM set_config('lock_timeout', greatest(p_lock_timeout_ms / 10, 1)::text, true);
    END IF;
    EXECUTE format('SELECT * FROM retention.%I($1)', p_pass ->> mode) INTO result USING p_run;
END
$function$;
REVOKE ALL ON FUNCTION retention._call_batch(bigint, jsonb, integer, boolean) FROM PUBLIC;
