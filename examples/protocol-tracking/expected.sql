-- What the plan's own condition selects right now, counted without anything of pgretain.
SELECT 'tracked_protocols' AS policy, count(*) AS rows
FROM public.tracked_protocols
WHERE last_read_at < now() - interval '30 days';
