-- _prove_statements executes every statement of a policy's functions without any row, so that an
-- error appears when the policy is installed. It rolls back the effects of the statements, and
-- raises the first error.
CREATE OR REPLACE FUNCTION retention._prove_statements(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $function$
DECLARE
    v_policy retention.policy; v_pass jsonb; v_batch retention.batch_range := retention._batch_range(clock_timestamp());
    v_message text; v_detail text; v_hint text; v_sqlstate text;
BEGIN
    SELECT * INTO STRICT v_policy FROM retention.policy p WHERE p.name = p_policy;
    v_batch.run_id := 0; v_batch.inputs := '{}'; v_batch.prove := true;
    BEGIN
        PERFORM retention._check_types(p_policy);
        FOR v_pass IN SELECT e.value FROM jsonb_array_elements(v_policy.passes) e LOOP
            v_batch.pass := coalesce(v_batch.pass, 0) + 1;
            PERFORM retention._batch(v_policy, v_batch, 1, false, true);
        END LOOP;
        PERFORM retention._count(p_policy, clock_timestamp(), 0);
        PERFORM retention._query_as_worker('SELECT to_jsonb(count(*)) FROM retention.policy p CROSS JOIN LATERAL (
                SELECT FROM retention._effects(p.name, clock_timestamp(), 0, NULL, NULL)
                UNION ALL SELECT FROM retention._related(p, ''{}'', ''{}'', clock_timestamp())) x
            WHERE p.name = $1 #>> ''{}''', to_jsonb(p_policy), p_policy);
        PERFORM retention._execute_as_worker('SELECT to_jsonb(r) FROM retention._restore_as_worker($1 #>> ''{}'', 0, NULL, NULL) r',
            to_jsonb(p_policy), p_policy);
        RAISE EXCEPTION USING ERRCODE = 'PR003';
    EXCEPTION
        WHEN SQLSTATE 'PR003' THEN
            NULL;  -- no error; the statements are rolled back
        WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT, v_detail = PG_EXCEPTION_DETAIL,
                v_hint = PG_EXCEPTION_HINT, v_sqlstate = RETURNED_SQLSTATE;
            RAISE EXCEPTION USING ERRCODE = v_sqlstate, DETAIL = v_detail, HINT = v_hint,
                MESSAGE = format('policy "%s" cannot run: %s', p_policy, v_message);
    END;
END $function$;
