-- What policies were not made for in the catalog. $1: names of policies. One row per difference: the policy, a sentence.
SELECT p.name, u FROM retention.policy p CROSS JOIN LATERAL retention._unexpected(p) u
WHERE p.name = ANY ($1::text[]) ORDER BY 1, 2
