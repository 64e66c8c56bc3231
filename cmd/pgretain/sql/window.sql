-- Parameters: $1 policy, $2 window, or "default" for the window of the policy file, $3 reason.
SELECT $1::text AS policy, w.older_than::text AS older_than, $3::text AS reason
FROM retention.set_window($1, nullif($2::text, 'default')::interval, coalesce($3::text, '')) w (older_than);
