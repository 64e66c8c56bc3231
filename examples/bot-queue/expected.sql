-- The query counts the rows that the document's two statements would delete now, one after the
-- other. It uses no object of pgretain.
WITH queue AS (
    SELECT id, device_key, created_at,
           created_at < (now() AT TIME ZONE 'UTC') - interval '7 days' AS expired
    FROM public.enqueued_messages
), ranked AS (
    SELECT row_number() OVER (PARTITION BY device_key ORDER BY created_at DESC, id DESC) AS place
    FROM queue
    WHERE NOT expired
)
SELECT 'enqueued_messages_ttl' AS policy, count(*) AS rows FROM queue WHERE expired
UNION ALL
SELECT 'enqueued_messages_cap', count(*) FROM ranked WHERE place > 1000;
