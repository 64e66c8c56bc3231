-- How many rows of policy $1 are due at instant $2 by the window in force; counting stops at $3 (true).
SELECT c.due, coalesce(c.capped, false) FROM retention._count($1, $2, $3, NULL, retention.window_of($1)) c
