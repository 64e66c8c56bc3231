-- _related returns the rows of other tables that steps could delete or change because of some rows
-- of the policy (n, in p_rels and p_tids), and the names of tables that they could drop. The steps
-- of the policy say it (<policy>_related). The function is VOLATILE, so that it sees the rows as
-- they are after it waited for a lock.
CREATE OR REPLACE FUNCTION retention._related(
    p_policy retention.policy, p_rels oid[], p_tids tid[], p_as_of timestamptz)
RETURNS TABLE (step integer, n integer, rel oid, tid tid, deletes boolean, name text) LANGUAGE plpgsql AS $function$
DECLARE v_batch retention.batch_range := retention._batch_range(p_as_of);
BEGIN
    v_batch.rels := p_rels; v_batch.tids := p_tids;
    IF p_policy.steps @? '$[*] ? (@.verb == "drop table"
        || exists(@.related) && (@.verb == "delete" || @.verb == "update"))' THEN
        RETURN QUERY EXECUTE format('SELECT r.* FROM retention.%I($1) r', p_policy.name || '_related') USING v_batch;
    END IF;
END $function$;
