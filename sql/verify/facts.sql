-- What the runtime says of a policy's rows. $1: the policy; $2: the instant; $3: runs to count in archives; $4:
-- where counting stops.
SELECT retention.facts($1, $2, $3, $4)::text
