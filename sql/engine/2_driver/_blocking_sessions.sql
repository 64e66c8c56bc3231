-- _blocking_sessions returns what a run waits for before its next batch (policy.waits): a replica
-- that lags, or WAL files that are not archived. It returns NULL if the run need not wait. It
-- ignores a replica whose lag the owner cannot see. It ignores WAL files if the owner may not call
-- pg_ls_archive_statusdir().
CREATE OR REPLACE FUNCTION retention._blocking_sessions(p_policy retention.policy) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_why text;
BEGIN
    SELECT format('replica "%s", which lags by %s', s.application_name, date_trunc('second', s.replay_lag)) INTO v_why
    FROM pg_stat_replication s
    WHERE s.replay_lag > (p_policy.waits -> 'replica_lag')::bigint * interval '1 ms' ORDER BY s.replay_lag DESC LIMIT 1;
    IF v_why IS NULL AND p_policy.waits ? 'pending_archival'
       AND has_function_privilege('pg_ls_archive_statusdir()', 'EXECUTE') THEN
        SELECT format('the archiver, which has %s files of WAL to archive', count(*)) INTO v_why
        FROM pg_ls_archive_statusdir() a WHERE a.name LIKE '%.ready'
        HAVING count(*) > (p_policy.waits -> 'pending_archival')::bigint;
    END IF;
    RETURN v_why;
END $function$;
