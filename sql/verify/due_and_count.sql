-- How many rows a policy's two functions find, in one snapshot. $1: the instant; $2: where counting stops;
-- $3: the policy.
SELECT (SELECT count(*) FROM (SELECT FROM retention.policy_due($1) LIMIT $2) x),
       (SELECT c.due FROM retention.policy_count($1, $2, true, NULL, retention.window_of($3)) c)
