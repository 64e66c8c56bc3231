-- How PostgreSQL would find the rows of the batches of policies: what <policy>_plan() shows, which only plans
-- and runs nothing. For the verifier. p_sort false plans without sorting, which shows whether an index can
-- give the order at all. One row a batch function: what EXPLAIN prints, or the error that planning met.
-- A name that is no policy's is passed over.
CREATE OR REPLACE FUNCTION retention._plans(
    p_policies text[], p_sort boolean,
    OUT policy text, OUT batch text, OUT plan json, OUT code text, OUT message text)
RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET enable_sort = on
SET lock_timeout = '200ms'
AS $function$
BEGIN
    PERFORM set_config('enable_sort', p_sort::text, true);
    FOR policy IN
        SELECT p.name FROM retention.policy p
        WHERE p.name = ANY (p_policies) AND to_regprocedure(format('retention.%I()', p.name || '_plan')) IS NOT NULL
    LOOP
        BEGIN
            FOR batch, plan IN EXECUTE format('SELECT x.batch, x.plan FROM retention.%I() x', policy || '_plan') LOOP
                RETURN NEXT;
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            batch := '';
            plan := NULL;
            code := SQLSTATE;
            message := SQLERRM;
            RETURN NEXT;
            IF EXISTS (SELECT FROM pg_prepared_statements s WHERE s.name = 'pgretain_plan') THEN
                DEALLOCATE pgretain_plan;
            END IF;
        END;
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._plans(text[], boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._plans(text[], boolean) TO retention_runner, retention_operator, retention_viewer;
