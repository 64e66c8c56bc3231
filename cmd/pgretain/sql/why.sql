-- Parameters: $1 policy, $2 columns with values, $3 as_of (NULL: now).
SELECT w.due, w.kept_by, to_char(w.until, 'YYYY-MM-DD HH24:MI:SSOF') AS until
FROM retention.why($1, $2::text, coalesce($3::text::timestamptz, pg_catalog.clock_timestamp())) w;
