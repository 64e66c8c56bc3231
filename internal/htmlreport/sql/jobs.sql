-- Returns the jobs of the registry.
SELECT j.name, j.schedules, j.policies, j.installed_at FROM retention.job j ORDER BY j.name
