-- How many rows are not marked, and how many of these should be ($1: the last of them).
SELECT count(*) FILTER (WHERE NOT done), count(*) FILTER (WHERE NOT done AND id <= $1) FROM public.task
