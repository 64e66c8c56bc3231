-- Returns how many rows are left, and how many of them were due. Parameter $1 is the last due ID.
SELECT count(*), count(*) FILTER (WHERE id <= $1) FROM (
    SELECT id FROM public.message UNION ALL SELECT id FROM public.queue UNION ALL SELECT id FROM public.letter) x
