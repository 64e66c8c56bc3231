-- Returns the kind and the name of rows of the registry that are not in the policy file.
-- $1: kinds of the expected rows
-- $2: names of the expected rows
SELECT r.kind, r.name
FROM (SELECT 'policy' AS kind, p.name FROM retention.policy p
      UNION ALL
      SELECT 'each', e.name FROM retention.each e
      UNION ALL
      SELECT 'job', j.name FROM retention.job j) r
WHERE NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS w (kind, name) WHERE w.kind = r.kind
    AND w.name = r.name)
ORDER BY 1, 2
