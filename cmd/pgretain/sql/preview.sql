-- $1: policy; $2: as_of, NULL for now.
SELECT p.due, coalesce(p.kept, '{}')::text, coalesce(p.kept_null, '{}')::text, coalesce(p.oldest, ''), coalesce(p.newest, ''), p.breaker_limit,
       coalesce(p.would_trip, false), coalesce(p.stopped_by, ''),
       to_char(coalesce($2::text::timestamptz, now()), 'YYYY-MM-DD HH24:MI:SSOF')
FROM retention.preview($1, $2::text::timestamptz) p;
