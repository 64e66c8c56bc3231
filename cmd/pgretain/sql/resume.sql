-- Parameter: $1 policy (NULL: undo the pause of all policies).
SELECT coalesce($1::text, '*') AS policy, r.resumed FROM retention.resume($1::text) r (resumed);
