-- How many rows are due. $1: the instant; $2: where counting stops.
SELECT c.due, coalesce(c.capped, false), coalesce(c.oldest, '')
FROM retention.policy_count($1, $2, true) c
