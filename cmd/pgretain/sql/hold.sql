-- Parameters: $1 table, $2 columns with values, $3 reason, $4 end of the hold (NULL: until it is
-- released).
SELECT h.hold_id AS hold, $1::text AS "table", $2::text::jsonb AS match, h.rows_held
FROM retention.place_hold($1::text, $2::text, $3::text, $4::text::timestamptz) h;
