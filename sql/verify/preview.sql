-- How many rows are due, for roles that may not call the count function. $1: the policy;
-- $2: the instant.
SELECT p.due, false, coalesce(p.oldest, '') FROM retention.preview($1, $2) p
