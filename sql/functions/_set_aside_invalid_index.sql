-- Before an index is built: what an earlier, interrupted build left INVALID is renamed, so that
-- the next statement can drop it and the build can use the name. Refuses (55006) while somebody is
-- still building it. Runs with the caller's rights: the table's owner.
-- https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
CREATE OR REPLACE FUNCTION retention._set_aside_invalid_index(p_schema text, p_index text)
RETURNS void
LANGUAGE plpgsql SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_index oid;
    v_pid integer;
BEGIN
    SELECT i.indexrelid INTO v_index
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = p_schema AND c.relname = p_index AND NOT i.indisvalid AND c.relkind = 'i';
    IF v_index IS NULL THEN
        RETURN;
    END IF;
    SELECT p.pid INTO v_pid FROM pg_stat_progress_create_index p WHERE p.index_relid = v_index;
    IF v_pid IS NOT NULL THEN
        RAISE object_in_use
            USING MESSAGE = format('index "%s" is being built by backend %s', p_index, v_pid),
                  HINT = 'Wait for it to finish, then migrate again.';
    END IF;
    EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', p_schema, p_index, p_index || '_invalid');
END
$function$;
REVOKE ALL ON FUNCTION retention._set_aside_invalid_index(text, text) FROM PUBLIC;
