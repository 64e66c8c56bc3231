-- _discard_effects deallocates the statements that a policy's code prepared. A rollback does not
-- deallocate them, and a client that uses prepared statements by name would execute them. Functions
-- that evaluate a policy and roll the evaluation back call it after the rollback.
-- These functions raise PR009 to roll back. They raise every other error again, and so a PR009 of
-- the policy's own code: an incomplete result would hide held rows.
CREATE OR REPLACE FUNCTION retention._discard_effects() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_name text;
BEGIN
    FOR v_name IN SELECT s.name FROM pg_prepared_statements s
        WHERE s.from_sql AND s.prepare_time >= statement_timestamp()
    LOOP
        EXECUTE format('DEALLOCATE %I', v_name);
    END LOOP;
END $function$;
