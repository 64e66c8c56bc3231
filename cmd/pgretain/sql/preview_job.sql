-- Parameters: $1 job, $2 as_of (NULL: now).
SELECT p.policy, p.state, p.taken, p.kept, p.contended, p.refused, p.related, p.cascaded, p.message
FROM retention.preview_job($1, $2::text::timestamptz) WITH ORDINALITY p ORDER BY p.ordinality;
