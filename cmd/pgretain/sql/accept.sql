-- $1: policy; $2: reason; $3: how many rows at most, NULL for all that are due; $4: the run that tripped, NULL for the only one.
SELECT $1::text AS policy, true AS accepted, $3::text::bigint AS rows, $2::text AS reason
FROM retention.accept($1::text, coalesce($2::text, ''), $3::text::bigint, $4::text::bigint);
