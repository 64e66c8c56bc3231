-- as migrator
-- What policy envelopes does with one partition of app.envelope, and only the owner of the table may do:
-- 'lock' closes it to writers, 'detach' makes it a table of its own, 'drop' does that and
-- drops it.
-- DETACH checks the foreign keys that refer to it, so that rows in use keep it (23503); DROP never
-- cascades. Belongs to the role that migrates; the worker calls it, nobody else.
-- Locks: SHARE ROW EXCLUSIVE on the partition; then ACCESS EXCLUSIVE on it, on the table above it
-- and on that one's DEFAULT partition, until the transaction ends. Raises PR004 when the table above it
-- is locked by somebody else, 55P03 when the partition is.
-- https://www.postgresql.org/docs/current/sql-altertable.html
DO $check$
DECLARE
    v_table record;
BEGIN
    SELECT t.relid::regclass AS name, pg_get_userbyid(c.relowner) AS owner INTO v_table
    FROM pg_partition_tree('app.envelope') t JOIN pg_class c ON c.oid = t.relid
    WHERE NOT pg_has_role(current_user, c.relowner, 'USAGE') ORDER BY t.level LIMIT 1;
    IF FOUND THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('role "%s" may not detach or drop partitions of %s: table %s belongs to "%s"',
                             current_user, 'app.envelope', v_table.name, v_table.owner),
            HINT = format('GRANT %I TO %I; then migrate again.', v_table.owner, current_user);
    END IF;
END $check$;
DROP FUNCTION IF EXISTS retention.envelopes_partition(oid, text);
CREATE FUNCTION retention.envelopes_partition(p_partition oid, p_action text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    v_name CONSTANT text := p_partition::regclass;
    v_above regclass;
    v_detail text;
BEGIN
    SELECT a.relid INTO v_above FROM pg_partition_tree('app.envelope') t, pg_partition_tree('app.envelope') a
    WHERE t.relid = p_partition AND a.relid = t.parentrelid;
    IF NOT FOUND AND p_action = 'drop' AND EXISTS (  -- this very transaction has detached it
        SELECT FROM pg_locks l WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation = p_partition
          AND l.mode = 'AccessExclusiveLock' AND l.granted) THEN
        EXECUTE format('DROP TABLE %s', v_name);
        RETURN;
    ELSIF v_above IS NULL THEN
        RAISE lock_not_available USING MESSAGE = format('%s is not a partition of %s any more', v_name, 'app.envelope');
    END IF;
    IF p_action = 'lock' THEN
        EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', v_name);
        IF to_regclass(v_name) IS DISTINCT FROM p_partition THEN
            RAISE lock_not_available USING MESSAGE = format('%s was renamed meanwhile', v_name);
        END IF;
        RETURN;
    END IF;
    -- A writer who is in the table already may wait for the partition: we give way first, so that he
    -- is never the victim of a deadlock.
    PERFORM set_config('lock_timeout', least(
                nullif(max(s.setting::integer) FILTER (WHERE s.name = 'lock_timeout'), 0),
                max(s.setting::integer) FILTER (WHERE s.name = 'deadlock_timeout') / 2)::text, true)
    FROM pg_settings s WHERE s.name IN ('lock_timeout', 'deadlock_timeout');
    BEGIN
        EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', v_above);
    EXCEPTION WHEN lock_not_available THEN
        RAISE EXCEPTION USING ERRCODE = 'PR004', MESSAGE = format('%s is locked by somebody else', v_above);
    END;
    EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', v_above, v_name);
    IF p_action = 'drop' THEN
        EXECUTE format('DROP TABLE %s', v_name);
    END IF;
EXCEPTION WHEN dependent_objects_still_exist THEN
    -- A view, say: this partition stays, the run goes on.
    GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
    RAISE EXCEPTION '%: %', SQLERRM, split_part(v_detail, E'\n', 1);
END $function$;

-- to drop it
