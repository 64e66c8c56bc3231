-- How many rows are due by the window in force. $1: the instant; $2: where counting stops; $3: the
-- policy.
SELECT c.due, coalesce(c.capped, false)
FROM retention._count($3, $1, $2, NULL, retention.window_of($3)) c
