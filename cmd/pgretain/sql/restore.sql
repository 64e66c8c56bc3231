-- $1: policy; $2: run; $3: the key of the one row, NULL for all; $4: until when they are held, NULL for 30 days.
SELECT $1::text AS policy, $2::text::bigint AS run, r.restored, r.refused
FROM retention.restore($1, $2::text::bigint,
    coalesce($4::text::timestamptz, pg_catalog.clock_timestamp() + interval '30 days'), $3::text) r;
