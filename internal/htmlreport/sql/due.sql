-- Returns the number of rows of policy $1 that are due at time $2, with the window in force and in
-- the scopes of its jobs. A row in two scopes counts once. Counting stops at $3; then the second
-- column is true.
SELECT c.due, coalesce(c.capped, false)
FROM (SELECT CASE count(*) WHEN 1 THEN (array_agg(s.scope))[1] ELSE jsonb_agg(s.scope) END AS scope
      FROM retention._scopes($1) s (scope)) s
CROSS JOIN LATERAL retention._count($1, $2, $3, s.scope, retention.window_of($1)) c
