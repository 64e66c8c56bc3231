-- $1: an instant as it was given, NULL for now.
SELECT to_char(coalesce($1::text::timestamptz, now()), 'YYYY-MM-DD HH24:MI:SS.USOF');
