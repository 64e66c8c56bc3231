-- Adds an ended run to its policy's counters; a dry run does not count. A policy has caught up when a run leaves
-- nothing that was due at its instant. One for some of the rows, with a window that somebody gave it, or that goes on
-- where an earlier one ended, says nothing of the rest. A table's verb is all that steps do with it.
CREATE OR REPLACE FUNCTION retention._add_to_total(p_run bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
    INSERT INTO retention.total AS t
        (policy, runs, failed, scanned, taken, refused, rows, failed_in_a_row, last_success_at, caught_up_at)
    SELECT r.policy, 1, x.bad, r.scanned, r.taken, r.refused, x.rows, x.bad,
           CASE WHEN r.state IN ('done', 'more') THEN r.ended_at END,
           CASE WHEN r.state = 'done' AND r.contended + r.refused = 0 AND r.from_start AND r.scope IS NULL
                     AND (r.older_than IS NULL OR r.job IS NOT NULL) THEN r.as_of END
    FROM retention.run r LEFT JOIN retention.policy p ON p.name = r.policy
    CROSS JOIN LATERAL (
        SELECT (r.state IN ('failed', 'tripped', 'abandoned'))::integer AS bad,
               coalesce(jsonb_object_agg(jsonb_build_object('policy', r.policy, 'table', n.key, 'verb', n.verb)::text,
                                         n.value) FILTER (WHERE n.verb <> ''), '{}') AS rows
        FROM (SELECT 'cascade' AS verb, c.* FROM jsonb_each(r.cascaded) c
              UNION ALL
              SELECT (SELECT string_agg(DISTINCT s.verb, '+')
                      FROM jsonb_to_recordset(p.steps) s (verb text, "table" text)
                      WHERE s."table" = e.key AND s.verb NOT IN ('note', 'drop table')), e.*
              FROM jsonb_each(retention._sum(r.related, jsonb_build_object(r.table_name, r.taken))) e) n) x
    WHERE r.id = p_run AND r.state <> 'running' AND NOT r.dry_run
    ON CONFLICT (policy) DO UPDATE SET
        runs = t.runs + 1, failed = t.failed + excluded.failed, scanned = t.scanned + excluded.scanned,
        taken = t.taken + excluded.taken, refused = t.refused + excluded.refused,
        rows = retention._sum(t.rows, excluded.rows),
        failed_in_a_row = (t.failed_in_a_row + excluded.failed) * (excluded.last_success_at IS NULL)::integer,
        last_success_at = coalesce(excluded.last_success_at, t.last_success_at),
        caught_up_at = greatest(excluded.caught_up_at, t.caught_up_at)
$function$;
