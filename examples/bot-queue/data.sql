-- The queue on the day of the migration: 500 bots, and 20,000 messages for 40 bots that are offline
-- for an unknown time. No value is random.
--   bot   1         sends most
--   bots  2 to  20  busy
--   bots 21 to  60  offline for a month
--   bots 61 to 500  ordinary
INSERT INTO public.bots (device_key, name)
SELECT encode(sha256(convert_to('bot ' || n, 'UTF8')), 'hex'), 'bot ' || n
FROM generate_series(1, 500) AS n;

INSERT INTO public.enqueued_messages (device_key, session_id, message)
SELECT encode(sha256(convert_to('bot ' || bot, 'UTF8')), 'hex'),
       'session ' || n % 7,
       sha256(convert_to('legacy ' || bot || '/' || n, 'UTF8'))
FROM generate_series(21, 60) AS bot, generate_series(1, 500) AS n;

ANALYZE public.bots, public.enqueued_messages;
