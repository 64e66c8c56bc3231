-- as migrator
-- Drops one table for policy detached: only the table's owner may. Which table may go is judged before, by
-- retention._droppable. Never cascades: what others depend on stays, and its row counts as refused (P0001).
-- Belongs to the role that migrates; the worker calls it, nobody else.
-- Locks: ACCESS EXCLUSIVE on the table, waited for at most lock_timeout, until the transaction ends.
DO $check$
DECLARE
    v_owner CONSTANT oid := (SELECT c.relowner FROM pg_class c WHERE c.oid = 'app.detached'::regclass);
BEGIN
    IF NOT pg_has_role(current_user, v_owner, 'USAGE') THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('role "%s" may not drop tables like those of "%s", who owns %s',
                             current_user, pg_get_userbyid(v_owner), 'app.detached'),
            HINT = format('GRANT %I TO %I; then migrate again.', pg_get_userbyid(v_owner), current_user);
    END IF;
END $check$;
DROP FUNCTION IF EXISTS retention.detached_drop_table(oid);
CREATE FUNCTION retention.detached_drop_table(p_table oid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_name CONSTANT text := p_table::regclass;
    v_detail text;
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', v_name);
    IF to_regclass(v_name) IS DISTINCT FROM p_table
       OR EXISTS (SELECT FROM pg_class c WHERE c.oid = p_table AND c.relispartition) THEN
        RAISE lock_not_available USING MESSAGE = format('%s was renamed or attached meanwhile', v_name);
    END IF;
    EXECUTE format('DROP TABLE %s', v_name);
EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN
    -- A view, say: this table stays, the run goes on.
    GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
    RAISE EXCEPTION '%', concat_ws(': ', SQLERRM, nullif(split_part(v_detail, E'\n', 1), ''));
END $function$;

-- to drop it
