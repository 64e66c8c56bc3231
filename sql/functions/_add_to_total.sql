-- Adds an ended run to its policy's counters; a dry run does not count.
CREATE OR REPLACE FUNCTION retention._add_to_total(p_run bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
    INSERT INTO retention.total AS t
        (policy, runs, failed, scanned, taken, contended, refused, cascaded, failed_in_a_row, last_success_at)
    SELECT r.policy, 1, x.bad, r.scanned, r.taken, r.contended, r.refused, x.cascaded, x.bad,
           CASE WHEN r.state IN ('done', 'more') THEN r.ended_at END
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
        last_success_at = coalesce(excluded.last_success_at, t.last_success_at)
$function$;
