-- Parameter: $1 policies and reports in the order of the policy file. Returns the last run of each
-- policy. The heading of a column with numbers begins with ">". The number of a run is text: it has
-- no commas, so it can be typed as it stands.
SELECT s.policy, coalesce(s.jobs, '') AS job, s.last_run::text AS ">run",
       coalesce(s.last_state, 'never ran') AS last_run,
       coalesce(to_char(s.last_started_at, 'YYYY-MM-DD HH24:MI:SSOF'), '') AS started,
       extract(epoch FROM s.last_duration)::float8 AS ">took",
       to_char(s.last_taken, 'FM999,999,999,999,999,990 ') ||
           (SELECT coalesce(min(CASE e ->> 'verb' WHEN 'delete' THEN 'deleted' WHEN 'update' THEN 'updated'
                                                  WHEN 'detach' THEN 'detached' WHEN 'drop' THEN 'dropped' END)
                                FILTER (WHERE NOT e ? 'related'), 'taken')
            FROM retention.policy p, jsonb_array_elements(p.steps) e
            WHERE p.name = s.policy AND e ->> 'table' = p.table_name) AS ">taken",
       s.last_scanned AS ">scanned",
       (SELECT sum(k.value::bigint)::bigint FROM jsonb_each_text(s.last_kept) k) AS ">kept",
       s.last_contended AS ">contended",
       s.last_refused AS ">refused", s.holds AS ">holds", coalesce(s.paused, '') AS paused
FROM retention.status s
ORDER BY array_position($1::text[], split_part(s.policy, '@', 1)), s.policy;
