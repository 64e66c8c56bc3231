-- The last $1 runs of each policy, the newest first.
SELECT p.name, r.id, r.started_at, coalesce(extract(epoch FROM r.ended_at - r.started_at), 0)::double precision,
       r.state, r.taken, r.role, coalesce(r.message, '')
FROM retention.policy p
CROSS JOIN LATERAL (SELECT * FROM retention.run x WHERE x.policy = p.name AND NOT x.dry_run
                    ORDER BY x.id DESC LIMIT $1::integer) r
ORDER BY p.name, r.id DESC
