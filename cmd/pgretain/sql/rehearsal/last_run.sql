-- Returns state and message of the last run of policy $1. For a policy with instances it returns
-- the last run of an instance that failed, if there is one.
SELECT r.state::text, concat(r.message, ' [' || r.sqlstate || ']')
FROM retention.run r WHERE split_part(r.policy, '@', 1) = $1
  AND r.id = (SELECT max(l.id) FROM retention.run l WHERE l.policy = r.policy)
ORDER BY r.state IN ('done', 'more'), r.id DESC LIMIT 1
