-- $1: job, $2: policy, NULL for all. Those that are for each schema, whose members may have no pages yet.
SELECT e.name
FROM retention.each e LEFT JOIN retention.job j ON j.name = $1::text
WHERE ($1 IS NULL OR e.name = ANY (j.policies)) AND ($2::text IS NULL OR e.name = $2)
ORDER BY 1;
