-- How many rows of policy $1 are due at instant $2 by the window in force, inside the scopes of its jobs; a row that two of
-- them have counts once. Counting stops at $3 (true).
SELECT c.due, coalesce(c.capped, false)
FROM (SELECT CASE count(*) WHEN 1 THEN (array_agg(s.scope))[1] ELSE jsonb_agg(s.scope) END AS scope
      FROM retention._scopes($1) s (scope)) s
CROSS JOIN LATERAL retention._count($1, $2, $3, s.scope, retention.window_of($1)) c
