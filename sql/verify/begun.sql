-- Since when a policy can run in a job: since a migration last wrote them, or since this database was adopted, if that is
-- later. $1: the policy; $2: the job. One row, none where the registry lacks one of them.
SELECT greatest(p.installed_at, j.installed_at, i.adopted_at) AS since
FROM retention.install i CROSS JOIN retention.policy p CROSS JOIN retention.job j
WHERE p.name = $1 AND j.name = $2
