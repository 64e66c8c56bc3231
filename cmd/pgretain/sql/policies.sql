-- $1: job, NULL for all policies. In the job's order.
SELECT p.name
FROM retention.policy p LEFT JOIN retention.job j ON j.name = $1::text
WHERE NOT p.report AND ($1 IS NULL OR p.name = ANY (j.policies))
ORDER BY array_position(j.policies, p.name), p.name;
