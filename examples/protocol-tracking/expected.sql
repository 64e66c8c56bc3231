-- The query counts the rows that the document's condition selects now. It uses no object of
-- pgretain.
SELECT 'tracked_protocols' AS policy, count(*) AS rows
FROM public.tracked_protocols
WHERE last_read_at < now() - interval '30 days';
