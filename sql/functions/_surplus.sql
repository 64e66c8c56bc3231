-- The breaker: why a run that has just been written may not touch anything, NULL when it may.
-- Finds the groups of "beyond" passes on the way, and keeps what was counted in the run's row.
-- The count is exact up to the limit; guards are evaluated only when the rows without them would
-- trip it.
CREATE OR REPLACE FUNCTION retention._surplus(p_run bigint) RETURNS text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_run retention.run;
    v_policy retention.policy;
    v_rows bigint;
    v_limit bigint;
    v_due bigint;
BEGIN
    SELECT * INTO STRICT v_run FROM retention.run r WHERE r.id = p_run;
    SELECT * INTO STRICT v_policy FROM retention.policy p WHERE p.name = v_run.policy;
    v_due := retention._find_groups(p_run);
    IF NOT v_policy.partitions THEN  -- the breaker counts these, not their rows
        v_rows := retention._estimated_rows(retention._table(v_policy.table_name));
    END IF;
    v_limit := retention._breaker_limit(v_policy, v_rows);
    UPDATE retention.run r SET due = v_due, breaker_limit = v_limit WHERE r.id = p_run;
    IF v_limit IS NULL OR v_policy.budget_rows <= v_limit OR v_due <= v_limit
       OR v_due IS NULL AND v_rows * 1.5 < v_limit THEN
        RETURN NULL;
    END IF;
    IF v_due IS NULL THEN
        v_due := (retention._count(v_policy.name, v_run.as_of, v_limit + 1, false,
                                   v_run.scope, v_run.older_than)).due;
    END IF;
    IF v_due > v_limit THEN
        v_due := (retention._count(v_policy.name, v_run.as_of, v_limit + 1, true,
                                   v_run.scope, v_run.older_than)).due;
    END IF;
    UPDATE retention.run r SET due = v_due WHERE r.id = p_run;
    IF v_due <= v_limit THEN
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM retention.setting s
               WHERE s.policy = v_policy.name AND s.name = 'accepted' AND s.value = v_policy.hash) THEN
        PERFORM retention._change_setting(v_policy.name, 'accepted', NULL, format('run %s passed', p_run));
        UPDATE retention.run r SET breaker_limit = NULL WHERE r.id = p_run;
        RETURN NULL;
    END IF;
    RETURN format('%s or more rows are due, the breaker allows %s', v_due, v_limit);
END
$function$;
REVOKE ALL ON FUNCTION retention._surplus(bigint) FROM PUBLIC;
