-- Returns how many rows are not marked, and how many of them were due. Parameter $1 is the last due
-- ID.
SELECT count(*) FILTER (WHERE NOT done), count(*) FILTER (WHERE NOT done AND id <= $1) FROM public.task
