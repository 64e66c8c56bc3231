-- How the last run of $1 ended; of a policy for each schema, that of a member which went wrong, if any did.
SELECT r.state::text, concat(r.message, ' [' || r.sqlstate || ']')
FROM retention.run r WHERE split_part(r.policy, '@', 1) = $1
  AND r.id = (SELECT max(l.id) FROM retention.run l WHERE l.policy = r.policy)
ORDER BY r.state IN ('done', 'more'), r.id DESC LIMIT 1
