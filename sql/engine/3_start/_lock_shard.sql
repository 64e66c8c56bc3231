-- _lock_shard keeps the shard of an instance on this node until the transaction ends. It also sets
-- what Citus needs to let the worker change the shard's rows.
-- Raises 55P03 if the shard is on another node or is being moved. Raises it, too, while a prepared
-- transaction has changed a colocated table, because the coordinator may have committed it already.
CREATE OR REPLACE FUNCTION retention._lock_shard(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_shard CONSTANT text := split_part(p_policy, '@', 2); v_here boolean;
BEGIN
    IF v_shard = '' OR NOT EXISTS (
        SELECT FROM retention.each e WHERE e.name = split_part(p_policy, '@', 1) AND e.shards) THEN
        RETURN;
    END IF;
    PERFORM set_config('citus.' || x.name, x.value, true) FROM (VALUES ('enable_manual_changes_to_shards', 'on'),
        ('override_table_visibility', 'off'), ('enable_ddl_propagation', 'off')) x (name, value);
    EXECUTE format('SELECT count(*) > 0 FROM retention.%I($1)', split_part(p_policy, '@', 1) || '_admit')
    INTO v_here USING v_shard;
    IF NOT v_here THEN
        RAISE lock_not_available USING MESSAGE = format('shard %s is no longer on this server', v_shard);
    ELSIF EXISTS (SELECT FROM pg_prepared_xacts x WHERE x.database = current_database()) AND EXISTS (
        SELECT FROM retention.policy p JOIN pg_locks l ON l.relation = ANY (retention._resolve_tables(ARRAY(
            SELECT k FROM jsonb_object_keys(p.dependencies) k WHERE k <> p.table_name)))
        WHERE p.name = p_policy AND l.pid IS NULL
          AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
              AND l.mode = 'RowExclusiveLock') THEN
        RAISE lock_not_available USING MESSAGE = 'a prepared transaction has changed a table that is colocated with the shard';
    END IF;
END $function$;
