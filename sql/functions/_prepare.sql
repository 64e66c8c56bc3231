-- Lets a policy read what it needs to know once a run: joins and ceilings.
CREATE OR REPLACE FUNCTION retention._prepare(p_run bigint, p_policy retention.policy) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_inputs jsonb;
BEGIN
    IF p_policy.prepares THEN
        EXECUTE format('SELECT retention.%I($1)', p_policy.name || '_prepare') INTO v_inputs USING p_run;
        UPDATE retention.run r SET inputs = v_inputs WHERE r.id = p_run;
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention._prepare(bigint, retention.policy) FROM PUBLIC;
