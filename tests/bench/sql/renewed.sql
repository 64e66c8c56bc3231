-- Returns how many rows have their old timestamp, and how many of them were due. Parameter $1 is
-- the last due ID.
SELECT count(*) FILTER (WHERE ts < '2100-01-01'), count(*) FILTER (WHERE ts < '2100-01-01' AND id <= $1)
FROM public.task
