-- Returns the DEFAULT partition that has rows older than the window of a policy on partitions, and
-- the number of these rows.
-- $1: the policy
-- $2: the present time
-- $3: the limit of the number
-- $4: the window in the policy file
SELECT d.name, d.rows FROM retention._default_rows($1::text, $2::timestamptz, $4::interval, $3::bigint) d
