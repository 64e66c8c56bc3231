-- Parameters: $1 policy, $2 reason, $3 most rows that may be due (NULL: any number),
-- $4 run that tripped (NULL: the only one).
SELECT $1::text AS policy, true AS accepted, $3::text::bigint AS rows, $2::text AS reason
FROM retention.accept($1::text, coalesce($2::text, ''), $3::text::bigint, $4::text::bigint);
