-- $1: job, NULL for all policies; $2: a policy, NULL for all. In the job's order, members where their policy stands, those whose
-- page the next run makes anew left out.
SELECT p.name
FROM retention.policy p CROSS JOIN LATERAL split_part(p.name, '@', 1) AS of LEFT JOIN retention.job j ON j.name = $1::text
WHERE NOT p.report AND p.hash <> '' AND ($1 IS NULL OR of = ANY (j.policies)) AND ($2::text IS NULL OR $2 IN (p.name, of))
ORDER BY array_position(j.policies, of), p.name;
