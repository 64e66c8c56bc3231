-- _set_aside_invalid_index renames an INVALID index that an interrupted build left, so that the
-- next statement can drop it. Raises 55006 while a session builds the index. It runs with the
-- privileges of its caller, who owns the table.
CREATE OR REPLACE FUNCTION retention._set_aside_invalid_index(p_schema text, p_index text) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $function$
DECLARE
    v_name CONSTANT text := format('%I.%I', p_schema, p_index);
    v_invalid CONSTANT text := p_index || '_invalid'; v_index oid; v_table oid; v_pid integer;
BEGIN
    SELECT i.indexrelid, i.indrelid INTO v_index, v_table FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indexrelid = to_regclass(v_name) AND NOT i.indisvalid AND c.relkind = 'i';
    IF v_index IS NULL THEN RETURN; END IF;
    -- A build locks the table before its index becomes visible, and until the build ends.
    -- pg_stat_progress_create_index names the index a moment later, and only to roles that may see
    -- the session.
    SELECT p.pid INTO v_pid FROM pg_stat_progress_create_index p
    JOIN pg_locks l ON l.pid = p.pid AND l.locktype = 'relation' AND l.relation = v_table AND l.granted
                   AND l.mode IN ('ShareLock', 'ShareUpdateExclusiveLock')
    WHERE p.pid <> pg_backend_pid() AND p.datname = current_database()
      AND (p.command IS DISTINCT FROM 'CREATE INDEX CONCURRENTLY' OR p.index_relid IS NULL
          OR p.index_relid IN (0, v_index))
    LIMIT 1;
    IF v_pid IS NOT NULL THEN
        RAISE object_in_use USING MESSAGE = format('index "%s" is being built by pid %s', p_index, v_pid),
                  HINT = 'Wait for it to finish, then migrate again.';
    END IF;
    -- The build may have ended between the two statements above.
    IF NOT EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = v_index AND NOT i.indisvalid) THEN RETURN; END IF;
    -- Two interrupted builds left both names. This DROP locks the table for a moment.
    IF EXISTS (SELECT FROM pg_index i
               WHERE i.indexrelid = to_regclass(format('%I.%I', p_schema, v_invalid)) AND NOT i.indisvalid) THEN
        EXECUTE format('DROP INDEX IF EXISTS %I.%I', p_schema, v_invalid);
    END IF;
    EXECUTE format('ALTER INDEX IF EXISTS %I.%I RENAME TO %I', p_schema, p_index, v_invalid);
END $function$;
