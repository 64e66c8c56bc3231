-- Since when policies and jobs can run here: since a migration last wrote them, or since this database was
-- adopted, if that is later. One row each: the kind, the name, the time.
SELECT x.kind, x.name, greatest(x.installed_at, i.adopted_at) AS since
FROM retention.install i
CROSS JOIN (SELECT 'policy' AS kind, p.name, p.installed_at FROM retention.policy p
            UNION ALL
            SELECT 'job', j.name, j.installed_at FROM retention.job j) x
ORDER BY 1, 2
