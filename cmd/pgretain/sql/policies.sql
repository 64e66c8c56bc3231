-- $1: job, NULL for all policies; $2: a policy, NULL for all; $3: a scope, NULL for those of the job, or of the policy's jobs.
-- In the job's order, with a row for each scope; instances stand where their policy stands. Instances whose page the next run
-- re-creates are left out.
SELECT p.name, s.scope::text
FROM retention.policy p CROSS JOIN LATERAL split_part(p.name, '@', 1) AS of LEFT JOIN retention.job j ON j.name = $1::text
CROSS JOIN LATERAL (
    SELECT CASE WHEN $3::text IS NOT NULL THEN $3::text::jsonb ELSE j.scope END WHERE num_nonnulls($1, $3) > 0
    UNION ALL SELECT x FROM retention._scopes(p.name) x WHERE num_nonnulls($1, $3) = 0) s (scope)
WHERE NOT p.report AND p.hash <> '' AND ($1 IS NULL OR of = ANY (j.policies)) AND ($2::text IS NULL OR $2 IN (p.name, of))
ORDER BY array_position(j.policies, of), p.name, s.scope::text;
