-- How batches would find their rows. $1: policies; $2: whether they may sort. One row a batch function:
-- policy, function, the plan as EXPLAIN (FORMAT JSON) prints it ('' for none), and the error that planning met.
SELECT p.policy, coalesce(p.batch, ''), coalesce(p.plan::text, ''), coalesce(p.code, ''), coalesce(p.message, '')
FROM retention._plans($1, $2) p
