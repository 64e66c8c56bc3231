-- _server returns properties of the server that survive a restart and differ in a physical copy.
-- These are the timeline and cluster_name. If the owner may read them, it adds a digest of the data
-- directory's path and the change time of PG_VERSION.
CREATE OR REPLACE FUNCTION retention._server() RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_files numeric;
BEGIN
    -- A statement of its own, because PostgreSQL checks the privilege even if CASE skips the call.
    IF has_function_privilege('pg_stat_file(text)', 'EXECUTE') THEN
        v_files := extract(epoch FROM (pg_stat_file('PG_VERSION')).change);
    END IF;
    RETURN jsonb_strip_nulls(jsonb_build_object(
        'timeline', left(pg_walfile_name(pg_current_wal_lsn()), 8), 'cluster_name', current_setting('cluster_name'),
        -- A digest, because other roles may read table install.
        'data directory', CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE')
            THEN md5(current_setting('data_directory')) END,
        'files', v_files));
END $function$;
