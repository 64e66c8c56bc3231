-- Parameters: $1 timestamp, $2 days. Returns the timestamp so many days later.
SELECT to_char($1::text::timestamptz + $2::integer * interval '1 day', 'YYYY-MM-DD HH24:MI:SS.USOF');
