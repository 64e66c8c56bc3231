-- As preview.sql, of a runtime that has no blast_radius: it counts what is due. $3 to $6 are not asked for there.
SELECT json_build_object(
    'policy', $1::text,
    'table', (SELECT r.table_name FROM retention.policy r WHERE r.name = $1),
    'as_of', to_char(coalesce($2::text::timestamptz, now()), 'YYYY-MM-DD HH24:MI:SSOF'),
    'due', p.due, 'oldest', p.oldest, 'newest', p.newest,
    'kept', coalesce(p.kept, '{}'), 'kept_null', coalesce(p.kept_null, '{}'),
    'breaker_limit', p.breaker_limit, 'would_trip', coalesce(p.would_trip, false), 'stopped_by', p.stopped_by)::text
FROM retention.preview($1, coalesce($2::text::timestamptz, now()), $3::text::interval, $4::text::jsonb) p
WHERE $5::bigint IS NULL AND $6::boolean IS NOT NULL;
