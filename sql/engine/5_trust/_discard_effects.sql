-- Called when what only looked has been undone, with all that the code of a policy set, declared or put off. Ends what
-- no rollback ends, the statements that it prepared: a client that keeps statements by name would execute them. Its
-- callers raise what else went wrong, also a policy's own PR009: half an answer would hide held rows.
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
