-- How one policy of a job ended, for the driver: what to raise at the end (failure, NULL for nothing),
-- and whether the job stops here, because it was cancelled or is strict.
CREATE OR REPLACE FUNCTION retention._job_outcome(
    p_run bigint, p_policies text[], p_place integer, p_strict boolean, OUT summary text, OUT failure text,
    OUT sqlstate text, OUT halt boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_end CONSTANT record := retention._outcome(p_run);
    v_rest CONSTANT text := array_to_string(p_policies[p_place + 1:], ', ');
BEGIN
    summary := v_end.summary; failure := CASE WHEN v_end.bad THEN v_end.summary END; sqlstate := v_end.sqlstate;
    halt := v_end.halt OR p_strict AND v_end.state <> 'done';
    IF halt AND v_rest <> '' THEN
        failure := concat_ws(E'\n', failure, format(
            'not run, because %s ended %s: %s', p_policies[p_place], v_end.state, v_rest));
    END IF;
END $function$;
