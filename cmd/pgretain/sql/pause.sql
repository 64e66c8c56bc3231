-- Parameters: $1 policy (NULL: all), $2 reason.
SELECT coalesce($1::text, '*') AS policy, true AS paused, $2::text AS reason
FROM retention.pause($1::text, coalesce($2::text, ''));
