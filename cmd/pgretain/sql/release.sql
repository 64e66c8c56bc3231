-- Parameters: $1 hold, $2 reason.
SELECT $1::text::bigint AS hold, r.table_name AS "table", r.match, true AS released
FROM retention.release_hold($1::text::bigint, $2::text) r;
