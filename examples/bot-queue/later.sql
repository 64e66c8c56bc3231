-- Thirty days after the migration. Messages that existed then have the day of the migration as
-- created_at, and 200,900 messages were added since. Ages are whole hours plus 20 to 40 minutes.
-- Therefore no more rows become due within the next 15 minutes. created_at has no time zone; it is
-- in UTC.
UPDATE public.enqueued_messages
SET created_at = (now() AT TIME ZONE 'UTC') - interval '30 days 30 minutes';

WITH traffic (first_bot, last_bot, messages, days) AS (
    VALUES (1, 1, 20000, 5), -- sends most
           (2, 20, 1500, 6), -- busy
           (21, 60, 1500, 30), -- still offline
           (61, 500, 210, 6) -- ordinary
)
INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
SELECT encode(sha256(convert_to('bot ' || bot, 'UTF8')), 'hex'),
       'session ' || n % 7,
       sha256(convert_to(bot || '/' || n, 'UTF8')),
       (now() AT TIME ZONE 'UTC') - make_interval(hours => n * t.days * 24 / (t.messages + 1),
                                                  mins => 20 + n % 20)
FROM traffic AS t,
     generate_series(t.first_bot, t.last_bot) AS bot,
     generate_series(t.messages, 1, -1) AS n
ORDER BY n DESC;

ANALYZE public.enqueued_messages;
