-- Parameters: $1 policy, $2 as_of (NULL: now), $3 older_than, $4 scope, $5 number of due rows at
-- which counting stops (NULL: none), $6 whether to return the effects of steps and foreign keys.
SELECT json_build_object(
    'policy', $1::text, 'scope', $4::text::jsonb,
    'table', (SELECT r.table_name FROM retention.policy r WHERE r.name = $1),
    'as_of', to_char(coalesce($2::text::timestamptz, now()), 'YYYY-MM-DD HH24:MI:SSOF'),
    'due', p.due, 'capped', coalesce(p.capped, false), 'one_run', p.one_run, 'bytes', p.bytes,
    'oldest', p.oldest, 'newest', p.newest,
    'kept', coalesce(p.kept, '{}'), 'kept_null', coalesce(p.kept_null, '{}'),
    'breaker_limit', p.breaker_limit, 'would_trip', coalesce(p.would_trip, false), 'stopped_by', p.stopped_by,
    'run_seconds', extract(epoch FROM p.run_time)::double precision, 'based_on', p.based_on,
    'effects', CASE WHEN $6 THEN
        (SELECT coalesce(json_agg(row_to_json(b)), '[]')
         FROM retention.blast_radius($1, coalesce($2::text::timestamptz, now()), $3::text::interval,
                                     $4::text::jsonb, $5) b) END)
FROM retention.preview($1, coalesce($2::text::timestamptz, now()), $3::text::interval, $4::text::jsonb, $5) p;
