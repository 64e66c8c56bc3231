-- What is due now under each policy. Counts, so it costs what counting costs.
CREATE OR REPLACE FUNCTION retention._backlog()
RETURNS TABLE (policy text, due bigint, kept jsonb, oldest text, newest text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET jit = off
SET row_security = off
AS $function$
DECLARE
    v_policy text;
    v_count retention.due_count;
BEGIN
    FOR v_policy IN SELECT p.name FROM retention.policy p ORDER BY p.built_in, p.name LOOP
        EXECUTE format('SELECT * FROM retention.%I($1)', v_policy || '_count')
        INTO v_count USING clock_timestamp();
        policy := v_policy;
        due := v_count.due;
        kept := v_count.kept;
        oldest := v_count.oldest;
        newest := v_count.newest;
        RETURN NEXT;
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._backlog() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._backlog() TO retention_runner, retention_operator, retention_viewer;
