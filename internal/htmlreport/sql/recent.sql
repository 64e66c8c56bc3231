-- Returns the last three runs of each policy, newest first.
SELECT p.name AS policy, r.id, r.started_at, coalesce(extract(epoch FROM r.ended_at - r.started_at), 0)::double precision AS took,
       r.state, r.taken, r.role, coalesce(r.message, '') AS message
FROM retention.policy p
CROSS JOIN LATERAL (SELECT * FROM retention.run x WHERE x.policy = p.name AND NOT x.dry_run
                    ORDER BY x.id DESC LIMIT 3) r
ORDER BY p.name, r.id DESC
