-- $1: policy, NULL for what was paused for all.
SELECT coalesce($1::text, '*') AS policy, r.resumed FROM retention.resume($1::text) r (resumed);
