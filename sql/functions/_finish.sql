-- Ends a run: adds up its batches and writes its row for the second and last time. What its breaker stopped, says how
-- people let it on.
CREATE OR REPLACE FUNCTION retention._finish(
    p_run bigint, p_state text, p_sqlstate text DEFAULT NULL, p_message text DEFAULT NULL) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_last retention.batch;
BEGIN
    SELECT * INTO v_last FROM retention.batch b WHERE b.run_id = p_run ORDER BY b.n DESC LIMIT 1;
    UPDATE retention.run r
    SET state = p_state, ended_at = clock_timestamp(), sqlstate = p_sqlstate,
        -- Whoever called: batches run as the worker, who lacks the right.
        message = CASE WHEN p_sqlstate = '42501' THEN format('%s (as role "%s")', p_message,
            coalesce(nullif('retention_worker', ''), current_user))
            WHEN p_state = 'tripped' AND r.breaker_limit IS NOT NULL THEN p_message || format(
                '; if that is right: pgretain accept %1$s --reason ''...'', or SELECT retention.accept(%1$L, ''...'')',
                r.policy)
            ELSE p_message END,
        scanned = s.scanned, taken = s.taken, contended = s.contended, refused = s.refused,
        batches = s.batches, wasted_ms = s.wasted_ms,
        kept = CASE WHEN s.any_kept THEN retention._add_up(p_run, 'kept') ELSE '{}' END,
        related = CASE WHEN s.any_related THEN retention._add_up(p_run, 'related') ELSE '{}' END,
        cascaded = CASE WHEN s.any_cascaded THEN retention._add_up(p_run, 'cascaded') ELSE '{}' END,
        end_pass = v_last.next_pass, end_position = v_last.next_position
    FROM (SELECT coalesce(sum(b.scanned), 0) AS scanned, coalesce(sum(b.taken), 0) AS taken,
                 coalesce(sum(b.contended), 0) AS contended, coalesce(sum(b.refused), 0) AS refused,
                 count(*) FILTER (WHERE b.mode IN ('range', 'locked')) AS batches,
                 coalesce(sum(b.ms * (1 - least(b.taken, b.scanned)::float8 / greatest(b.scanned, 1))), 0)
                     AS wasted_ms,
                 bool_or(b.kept <> '{}') AS any_kept, bool_or(b.related <> '{}') AS any_related,
                 bool_or(b.cascaded <> '{}') AS any_cascaded
          FROM retention.batch b WHERE b.run_id = p_run) s
    WHERE r.id = p_run AND r.ended_at IS NULL;
    IF FOUND THEN  -- nobody else has ended it meanwhile
        PERFORM retention._add_to_total(p_run);
        DELETE FROM retention.run_group g WHERE g.run_id = p_run;
    END IF;
    RETURN (p_run, false, NULL)::retention.step;
END $function$;
