-- Parameter: $1 timestamp from the command line (NULL: now). Returns it in the time zone of the
-- session.
SELECT to_char(coalesce($1::text::timestamptz, now()), 'YYYY-MM-DD HH24:MI:SS.USOF');
