-- Findings on rows of the registry that are not in the policy file.
-- $1: kinds of the expected rows
-- $2: names of the expected rows
SELECT r.kind, r.name AS object,
       format('%s "%s" is in the registry, but not in the policy file', r.kind, r.name) AS message,
       'It can be run until its row is deleted. '
       'If no migration wrote the row, delete it as the owner of the runtime.' AS detail,
       'Run "pgretain generate", and migrate.' AS hint
FROM (SELECT 'policy' AS kind, p.name FROM retention.policy p
      UNION ALL
      SELECT 'each', e.name FROM retention.each e
      UNION ALL
      SELECT 'job', j.name FROM retention.job j) r
WHERE NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS w (kind, name) WHERE w.kind = r.kind
    AND w.name = r.name)
ORDER BY 1, 2
