-- Parameters: $1 policy, $2 reason, $3 most rows that may be due,
-- $4 scope of the run to accept (NULL: the only one).
SELECT retention.accept($1::text, $2::text, $3::text::bigint, scope => $4::text::jsonb);
