-- Parameters: $1 job (NULL: all), $2 policy (NULL: all). Returns the names of all instances of
-- policies for several schemas or shards, also of instances that have no functions yet.
SELECT m.name
FROM retention.each e LEFT JOIN retention.job j ON j.name = $1::text
CROSS JOIN LATERAL unnest(retention._expand_instances(ARRAY[e.name])) m (name)
WHERE ($1 IS NULL OR e.name = ANY (j.policies)) AND ($2::text IS NULL OR e.name = $2)
ORDER BY 1;
