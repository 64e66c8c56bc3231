-- _ask_again lets the next runs of policies ask everything that could stop a policy, because it
-- deletes what earlier runs vouched for. It skips a policy for which another run is asking now. The
-- policies include their instances.
CREATE OR REPLACE FUNCTION retention._ask_again(p_policies text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    DELETE FROM retention.vouched d WHERE d.policy IN (
        SELECT v.policy FROM retention.vouched v
        WHERE v.policy = ANY (p_policies) OR split_part(v.policy, '@', 1) = ANY (p_policies)
        FOR UPDATE SKIP LOCKED);
END $function$;
