-- $1: job, $2: policy, NULL for all. The members of policies that are for each schema; some may have no page yet.
SELECT m.name
FROM retention.each e LEFT JOIN retention.job j ON j.name = $1::text
CROSS JOIN LATERAL unnest(retention._expand_instances(ARRAY[e.name])) m (name)
WHERE ($1 IS NULL OR e.name = ANY (j.policies)) AND ($2::text IS NULL OR e.name = $2)
ORDER BY 1;
