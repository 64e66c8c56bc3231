-- Returns what people did in 30 days, newest first, at most 200 entries: pauses, accepts, windows,
-- restores, and the adoption. Settings in force are included whatever their age.
SELECT x.at, x.who, x.what, x.policy, x.value, split_part(x.value, ' ', 2) AS rows, x.reason, x.in_force
FROM (SELECT c.set_at AS at, c.set_by AS who, c.name AS what, c.policy, coalesce(c.new, '') AS value, c.reason,
             c.new IS NOT NULL AND c.id = (SELECT max(l.id) FROM retention.setting_change l
                                           WHERE l.policy = c.policy AND l.name = c.name) AS in_force
      FROM retention.setting_change c
      UNION ALL SELECT r.at, r.role, 'restored', r.policy, r.run_id::text,
                       format('%s rows, %s refused', r.restored, r.refused), false FROM retention.restored r
      UNION ALL SELECT i.adopted_at, i.adopted_by, 'adopted', '', i.database_name, '', false FROM retention.install i) x
WHERE x.in_force OR x.at >= now() - interval '30 days'
ORDER BY x.at DESC
LIMIT 200
