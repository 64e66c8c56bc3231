-- Thirty days after the migration. The messages that were there already got the day of the
-- migration as their created_at; since then 200,900 more have come in. Ages are whole hours and
-- twenty to forty minutes more, so that nothing is due in the next quarter of an hour that is not
-- due now. created_at has no time zone; it is in UTC.
UPDATE public.enqueued_messages
SET created_at = (now() AT TIME ZONE 'UTC') - interval '30 days 30 minutes';

WITH traffic (first_bot, last_bot, messages, days) AS (
    VALUES (1, 1, 20000, 5),       -- the firehose
           (2, 20, 1500, 6),       -- busy
           (21, 60, 1500, 30),     -- still offline
           (61, 500, 210, 6)       -- ordinary
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
