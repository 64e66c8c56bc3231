-- How many rows of a table are left, and how many of these should be gone ($1: the last of them).
SELECT count(*), count(*) FILTER (WHERE id <= $1) FROM (
    SELECT id FROM public.message UNION ALL SELECT id FROM public.queue UNION ALL SELECT id FROM public.letter) x
