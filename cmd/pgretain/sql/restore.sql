-- Parameters: $1 policy, $2 run, $3 key of one row (NULL: all rows of the run),
-- $4 end of the hold on the rows (NULL: 30 days from now).
SELECT $1::text AS policy, $2::text::bigint AS run, r.restored, r.refused
FROM retention.restore($1, $2::text::bigint,
    coalesce($4::text::timestamptz, pg_catalog.clock_timestamp() + interval '30 days'), $3::text) r;
