-- Findings on rows of the registry that nobody wants. $1: kinds, $2: names of those that are
-- wanted.
SELECT r.kind, r.name AS object, format('%s "%s" is in the registry, and nobody wants it', r.kind, r.name) AS message,
       'It can be run as long as it is there. If no migration wrote the row, delete it as the owner of the runtime.' AS detail,
       'Run "pgretain generate", and migrate.' AS hint
FROM (SELECT 'policy' AS kind, p.name FROM retention.policy p
      UNION ALL
      SELECT 'each', e.name FROM retention.each e
      UNION ALL
      SELECT 'job', j.name FROM retention.job j) r
WHERE NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS w (kind, name) WHERE w.kind = r.kind
    AND w.name = r.name)
ORDER BY 1, 2
