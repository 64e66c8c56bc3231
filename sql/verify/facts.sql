-- What a policy's own function says of its rows. $1: the instant; $2: runs to count in archives; $3: where
-- counting stops.
SELECT retention.policy_facts($1, $2, $3)::text
