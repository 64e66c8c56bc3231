-- Adds an ended run to its policy's counters; a dry run does not count. A policy has caught up when a run leaves
-- nothing that was due at its instant. One for some of the rows, with a window that somebody gave it, or that goes on
-- where an earlier one ended, says nothing of the rest.
CREATE OR REPLACE FUNCTION retention._add_to_total(p_run bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
    INSERT INTO retention.total AS t
        (policy, runs, failed, scanned, taken, contended, refused, cascaded, failed_in_a_row, last_success_at,
         caught_up_at)
    SELECT r.policy, 1, x.bad, r.scanned, r.taken, r.contended, r.refused, x.cascaded, x.bad,
           CASE WHEN r.state IN ('done', 'more') THEN r.ended_at END,
           CASE WHEN r.state = 'done' AND r.contended + r.refused = 0 AND r.from_start AND r.scope IS NULL
                     AND (r.older_than IS NULL OR r.job IS NOT NULL) THEN r.as_of END
    FROM retention.run r
    CROSS JOIN LATERAL (
        SELECT (r.state IN ('failed', 'tripped', 'abandoned'))::integer AS bad,
               (SELECT coalesce(sum(c.value::bigint), 0) FROM jsonb_each_text(r.cascaded) c) AS cascaded) x
    WHERE r.id = p_run AND r.state <> 'running' AND NOT r.dry_run
    ON CONFLICT (policy) DO UPDATE SET
        runs = t.runs + 1, failed = t.failed + excluded.failed, scanned = t.scanned + excluded.scanned,
        taken = t.taken + excluded.taken, contended = t.contended + excluded.contended,
        refused = t.refused + excluded.refused, cascaded = t.cascaded + excluded.cascaded,
        failed_in_a_row = CASE WHEN excluded.last_success_at IS NOT NULL THEN 0
                               ELSE t.failed_in_a_row + excluded.failed END,
        last_success_at = coalesce(excluded.last_success_at, t.last_success_at),
        caught_up_at = greatest(excluded.caught_up_at, t.caught_up_at)
$function$;
