-- The names in the registry: kind and name.
SELECT 'policy', p.name FROM retention.policy p
UNION ALL
SELECT 'job', j.name FROM retention.job j
ORDER BY 1, 2
