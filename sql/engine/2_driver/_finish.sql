-- _finish ends a run. It adds up the batches, writes the run's row for the second and last time,
-- and calls _record() to add the run to the totals. It does not add a dry run. A run that took no
-- row and refused some ends "failed". If a run did not end "done", the driver later calls
-- _count_left to count the rows that it left.
CREATE OR REPLACE FUNCTION retention._finish(
    p_run bigint, p_state text, p_sqlstate text DEFAULT NULL, p_message text DEFAULT NULL,
    p_tripped_by text DEFAULT NULL) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_run retention.run; v_sum record; v_none boolean; v_first retention.batch;
BEGIN
    SELECT coalesce(sum(b.scanned), 0) AS scanned, coalesce(sum(b.taken), 0) AS taken,
           coalesce(sum(b.contended), 0) AS contended, coalesce(sum(b.refused), 0) AS refused,
           count(*) FILTER (WHERE b.mode IN ('range', 'locked')) AS batches, bool_or(b.kept <> '{}') AS any_kept,
           bool_or(b.related <> '{}') AS any_related, bool_or(b.cascaded <> '{}') AS any_cascaded
    INTO v_sum FROM retention.batch b WHERE b.run_id = p_run;
    v_none := p_state = 'done' AND v_sum.taken = 0 AND v_sum.refused > 0;
    IF v_sum.refused > 0 THEN
        SELECT * INTO v_first FROM retention.batch b WHERE b.run_id = p_run AND b.refused > 0 ORDER BY b.n LIMIT 1;
    END IF;
    UPDATE retention.run r
    SET state = CASE WHEN v_none THEN 'failed' ELSE p_state END, ended_at = clock_timestamp(),
        sqlstate = CASE WHEN v_none THEN v_first.sqlstate ELSE p_sqlstate END, tripped_by = p_tripped_by,
        -- The message names the worker, which lacks the privilege, and not the role that called.
        message = nullif(concat_ws('; ', CASE WHEN p_sqlstate = '42501' THEN format('%s (as role "%s")', p_message,
            coalesce(nullif('retention_worker', ''), current_user))
            WHEN p_tripped_by = 'breaker' AND NOT r.dry_run THEN p_message || format('; if that is right: '
                'pgretain accept %1$s --reason ''...'', or SELECT retention.accept(%1$L, ''...'')', r.policy)
            WHEN v_none THEN 'no row was taken' ELSE p_message END,
            CASE WHEN p_sqlstate = '55P03' OR p_state = 'busy' THEN retention._prepared(r.policy) END,
            CASE WHEN p_tripped_by IS NOT NULL THEN NULL  -- _trip_hint() reads the end of the message
                 WHEN v_sum.refused = 1 THEN format('1 row was refused: %s', v_first.message)
                 WHEN v_sum.refused > 1 THEN format(
                     '%s rows were refused, the first: %s', v_sum.refused, v_first.message)
            END), ''),
        scanned = v_sum.scanned, taken = v_sum.taken, contended = v_sum.contended, refused = v_sum.refused,
        batches = v_sum.batches,
        kept = CASE WHEN v_sum.any_kept THEN retention._sum_of_batches(p_run, 'kept') ELSE '{}' END,
        related = CASE WHEN v_sum.any_related THEN retention._sum_of_batches(p_run, 'related') ELSE '{}' END,
        cascaded = CASE WHEN v_sum.any_cascaded THEN retention._sum_of_batches(p_run, 'cascaded') ELSE '{}' END,
        end_position = (SELECT jsonb_build_array(b.next_pass, b.next_position) FROM retention.batch b
                        WHERE b.run_id = p_run ORDER BY b.n DESC LIMIT 1)
    WHERE r.id = p_run AND r.ended_at IS NULL  -- no other session has ended it
    RETURNING r.* INTO v_run;
    DELETE FROM retention.run_group g WHERE g.run_id = v_run.id;
    IF NOT v_run.dry_run THEN PERFORM retention._record(v_run, p_state = 'done'); END IF;
    RETURN (p_run, false, NULL)::retention.step;
END $function$;
