INSERT INTO public.events (event_id, room_id, type)
SELECT '$e' || n, '!room' || n % 3, 'm.room.message' FROM generate_series(1, 200) n;
INSERT INTO public.event_json (event_id, json)
SELECT event_id, format('{"type": "m.room.message", "room_id": "%s", "content": {"body": "secret"}, "unsigned": {"age": 1}}', room_id)
FROM public.events WHERE event_id <> '$e33';

-- 150 redactions, a millisecond apart, the 140th on the bound; of the same room two in three, every tenth not allowed, one
-- without an event, one done before; two redact one event.
INSERT INTO public.events (event_id, room_id, type) SELECT '$r' || n, '!room' || CASE WHEN n % 3 = 0 THEN 7 ELSE n % 3 END, 'm.room.redaction' FROM generate_series(1, 150) n WHERE n <> 50;
INSERT INTO public.rejections (event_id, reason) SELECT '$r' || n, 'auth_error' FROM generate_series(10, 150, 10) n;
INSERT INTO public.redactions (event_id, redacts, have_censored, received_ts)
SELECT '$r' || n, '$e' || CASE n WHEN 8 THEN 5 ELSE n END, n = 31, 1748779200000 - 7 * 86400000 - (140 - n) FROM generate_series(1, 150) n;
INSERT INTO public.redactions (event_id, redacts, received_ts) VALUES ('$no-time', '$e160', NULL), ('$no-target', '$nothing', 0);

INSERT INTO public.event_expiry (event_id, expiry_ts)
SELECT '$e' || n, 1748779200000 + n - 180 FROM generate_series(170, 190) n;
INSERT INTO public.event_expiry (event_id, expiry_ts) VALUES ('$e33', 0), ('$unknown', 0);
