-- Parameters: $1 policy, $2 as_of, $3 days, $4 scope, $5 number of rows at which counting stops.
-- Returns how many rows are due so many days after as_of, and whether counting stopped.
SELECT c.due, c.capped
FROM retention._count($1, $2::text::timestamptz + $3::integer * interval '1 day', $5, $4::text::jsonb) c;
