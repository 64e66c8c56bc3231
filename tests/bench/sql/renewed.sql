-- How many rows are as old as they were, and how many of these should not be ($1: the last of them).
SELECT count(*) FILTER (WHERE ts < '2100-01-01'), count(*) FILTER (WHERE ts < '2100-01-01' AND id <= $1) FROM public.task
