-- How the last run of $1 ended.
SELECT r.state::text, coalesce(r.message, ''), coalesce(r.sqlstate, '')
FROM retention.run r WHERE r.policy = $1 ORDER BY r.id DESC LIMIT 1
