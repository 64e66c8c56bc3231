-- _discard_effects is called after a rollback that undid a policy's evaluation. It deallocates the
-- statements that the policy's code prepared, which a rollback does not: a client that uses
-- prepared statements by name would execute them. Its callers raise every other error, including a
-- PR009 of the policy's own code: an incomplete result would hide held rows.
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
