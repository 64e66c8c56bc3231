-- restore restores the rows that a run archived, or that an update with "undo" changed. Only
-- operators may call it.
-- hold_until: how long the restored rows are held. NULL means until the hold is released. Without a
--   hold the next run would take the rows again.
-- match: {column: value}, or the value of the key. Only the row with this key is then restored.
-- restored: how many rows were restored
-- refused: how many rows were not. Their key exists again, somebody changed them since the run, or
--   a constraint or trigger refuses them.
-- Raises 0A000 if the policy keeps nothing to restore or its table has no key, and P0002 for an
-- unknown run or row. Raises 22023 for a hold_until in the past, 55P03 while a run of the table is
-- in progress, and 25001 in a transaction that has written.
-- Locks, until the transaction ends:
-- - a row of the run log, so that runs of the table wait
-- - retention.hold in EXCLUSIVE mode
-- - the tables in ROW EXCLUSIVE mode, and the restored rows
-- Example: SELECT * FROM retention.restore('old_items', 42, match => '4711');
CREATE OR REPLACE FUNCTION retention.restore(
    policy text, run_id bigint, hold_until timestamptz DEFAULT clock_timestamp() + interval '30 days',
    match text DEFAULT NULL, OUT restored bigint, OUT refused bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
DECLARE v_policy CONSTANT retention.policy := retention._get_policy(restore.policy); v_key jsonb; v_run bigint;
BEGIN
    PERFORM retention._refuse_after_write();
    PERFORM retention._lock_shard(restore.policy);
    IF v_policy.restores IS NULL AND NOT v_policy.partitions
        AND retention._key_columns(retention._table(v_policy.table_name)) = '{}' THEN
        RAISE feature_not_supported
            USING MESSAGE = format('table "%s" has no key, so its rows cannot be restored', v_policy.table_name),
                  HINT = 'Copy the rows from the archive yourself. Before that, place a hold by the values of '
                      'columns, or the next run takes the rows again.';
    ELSIF v_policy.restores IS NULL THEN
        RAISE feature_not_supported
            USING MESSAGE = format('policy "%s" keeps nothing that could be restored', restore.policy),
                  HINT = 'It needs an archive of whole rows with run.id in a column, or an update with "undo".';
    ELSIF NOT EXISTS (SELECT FROM retention.run r WHERE r.id = restore.run_id AND r.policy = restore.policy) THEN
        RAISE no_data_found
            USING MESSAGE = format('run %s of policy "%s" is not in the log', restore.run_id, restore.policy);
    ELSIF restore.hold_until <= clock_timestamp() THEN
        RAISE invalid_parameter_value USING MESSAGE = format('hold_until is in the past: %s', restore.hold_until),
                  HINT = 'Without a hold the next run would take the rows again.';
    END IF;
    IF restore.match IS NOT NULL THEN v_key := retention._restore_key(v_policy, restore.match); END IF;
    v_run := retention._take_table(v_policy, NULL, clock_timestamp());
    LOCK TABLE retention.hold IN EXCLUSIVE MODE;
    SELECT r.* INTO restored, refused FROM jsonb_to_record(retention._execute_as_worker(
        'SELECT to_jsonb(r) FROM retention._restore_as_worker(
             $1 ->> 0, ($1 ->> 1)::bigint, ($1 ->> 2)::timestamptz, nullif($1 -> 3, ''null'')) r',
        jsonb_build_array(restore.policy, restore.run_id, restore.hold_until, v_key), restore.policy))
        r (restored bigint, refused bigint);
    IF v_key IS NOT NULL AND restored + refused = 0 THEN
        RAISE no_data_found USING
            MESSAGE = format('run %s of policy "%s" keeps no row with %s', restore.run_id, restore.policy, v_key),
            HINT = 'It was restored before, or the run did not take it.';
    END IF;
    INSERT INTO retention.restored (policy, run_id, restored, refused, hold_until)
    VALUES (restore.policy, restore.run_id, restore.restored, restore.refused, restore.hold_until);
    DELETE FROM retention.run r WHERE r.id = v_run;
END $function$;
