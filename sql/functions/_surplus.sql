-- The breaker: why a run that has just been written may not touch anything, NULL when it may. Due rows are counted up
-- to the number that decides, guards asked only where the rows without them would trip it; due is NULL where nothing
-- had to be counted.
CREATE OR REPLACE FUNCTION retention._surplus(p_run bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_run retention.run; v_policy retention.policy; v_limit bigint; v_most bigint; v_due bigint;
    v_uncounted text;
BEGIN
    SELECT * INTO STRICT v_run FROM retention.run r WHERE r.id = p_run;
    SELECT * INTO STRICT v_policy FROM retention.policy p WHERE p.name = v_run.policy;
    IF v_policy.passes @? '$[*].groups' THEN v_due := retention._find_groups(p_run); END IF;
    v_most := least(v_policy.budget_rows, nullif(v_policy.breaker_rows, 9223372036854775807) + 1);
    v_limit := retention._breaker_limit(v_policy, 0);
    BEGIN
        IF v_limit IS NOT NULL AND (v_policy.budget_rows <= v_limit) IS NOT TRUE THEN
            v_due := coalesce(v_due, (retention._count(v_policy.name, v_run.as_of, v_most, false,
                                                       v_run.scope, v_run.older_than)).due);
            v_limit := retention._breaker_limit(v_policy, least(v_due, v_policy.budget_rows));
        END IF;
        IF least(v_due, v_policy.budget_rows) > v_limit THEN
            v_due := (retention._count(v_policy.name, v_run.as_of, v_most, true, v_run.scope, v_run.older_than)).due;
            v_limit := retention._breaker_limit(v_policy, least(v_due, v_policy.budget_rows));
        END IF;
    EXCEPTION WHEN OTHERS THEN  -- a batch passes such a row by; at most all rows of the table are due
        IF retention._refused_by(SQLSTATE) IS DISTINCT FROM 'row' THEN RAISE; END IF;
        v_uncounted := format('the rows that are due cannot be counted for the breaker: %s', SQLERRM);
        EXECUTE format('SELECT count(*) FROM (SELECT FROM %s LIMIT $1) x',
            retention._table(v_policy.table_name)::regclass)
        INTO v_due USING v_most;
        v_limit := retention._breaker_limit(v_policy, least(v_due, v_policy.budget_rows));
    END;
    UPDATE retention.run r SET due = CASE WHEN v_uncounted IS NULL THEN v_due END, breaker_limit = v_limit
        WHERE r.id = p_run;
    IF (least(v_due, v_policy.budget_rows) > v_limit) IS NOT TRUE THEN RETURN NULL; END IF;
    IF EXISTS (SELECT FROM retention.setting s
               WHERE s.policy = v_policy.name AND s.name = 'accepted' AND s.value = v_policy.hash) THEN
        PERFORM retention._change_setting(v_policy.name, 'accepted', NULL, format('run %s passed', p_run));
        UPDATE retention.run r SET breaker_limit = NULL WHERE r.id = p_run;
        RETURN NULL;
    END IF;
    RETURN coalesce(v_uncounted, format('%s or more rows are due, the breaker allows %s', v_due, v_limit));
END $function$;
