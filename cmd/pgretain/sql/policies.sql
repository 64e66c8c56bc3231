-- Parameters: $1 job (NULL: all policies), $2 policy (NULL: all), $3 scope (NULL: the scopes of the
-- jobs), $4 policies in the order of the policy file. Returns one row for each policy and scope, in
-- the order of the job, or else of the file. An instance has the place of its policy. Instances
-- whose functions the next run must re-create are left out.
SELECT p.name, s.scope::text
FROM retention.policy p
CROSS JOIN LATERAL split_part(p.name, '@', 1) AS of
LEFT JOIN retention.job j ON j.name = $1::text
CROSS JOIN LATERAL (
    SELECT CASE WHEN $3::text IS NOT NULL THEN $3::text::jsonb ELSE j.scope END WHERE num_nonnulls($1, $3) > 0
    UNION ALL SELECT x FROM retention._scopes(p.name) x WHERE num_nonnulls($1, $3) = 0) s (scope)
WHERE NOT p.report AND p.hash <> ''
  AND ($1 IS NULL OR of = ANY (j.policies))
  AND ($2::text IS NULL OR $2 IN (p.name, of))
ORDER BY array_position(coalesce(j.policies, $4::text[]), of), p.name, s.scope::text;
