-- Findings on rows of a DEFAULT partition that are older than the window of a policy on partitions.
-- $1: the policy
-- $2: the present time
-- $3: the limit of counts
-- $4: the window in the policy file
SELECT $1::text AS policy, d.name AS object,
       format('%s of DEFAULT partition "%s" %s older than the window of policy "%s", and never due', d.rows || CASE
              WHEN d.rows >= $3::bigint THEN ' rows or more' WHEN d.rows = 1 THEN ' row' ELSE ' rows' END, d.name,
              CASE d.rows WHEN 1 THEN 'is' ELSE 'are' END, $1::text) AS message,
       'No partition was there for these rows when they were inserted.' AS detail,
       'Create the partitions that these rows belong to, and move the rows there. The policy then drops the partitions.'
           AS hint
FROM retention._default_rows($1::text, $2::timestamptz, $4::interval, $3::bigint) d
