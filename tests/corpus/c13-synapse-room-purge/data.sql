-- Six rooms: two days; no lifetime; more than the most; less than the least; one whose ends lie too deep; one that is empty.
INSERT INTO public.rooms (room_id) SELECT '!' || n FROM generate_series(1, 6) n;
INSERT INTO public.room_retention (room_id, event_id, max_lifetime) VALUES
    ('!1', '$1-35', 172800000), ('!1', '$1-30', 86400000), ('!3', '$3-35', 315360000000), ('!4', '$4-35', 3600000), ('!5', '$5-35', 172800000), ('!2', '$2-35', NULL);
INSERT INTO public.current_state_events (event_id, room_id, type, state_key)
SELECT '$' || n || '-35', '!' || n, 'm.room.retention', '' FROM generate_series(1, 5) n;
INSERT INTO public.current_state_events (event_id, room_id, type, state_key) VALUES ('$1-40', '!1', 'm.room.name', '');

-- Forty events a room, a millisecond apart, the twentieth on the end of the lifetime. Depth follows time, but for the 10th, which
-- lies high, and the 25th, which lies low; the 15th has no time, the 3rd is an outlier already.
INSERT INTO public.events (event_id, room_id, topological_ordering, stream_ordering, received_ts, outlier)
SELECT '$' || r || '-' || n, '!' || r, CASE n WHEN 10 THEN 50 WHEN 25 THEN 5 ELSE n END, r * 1000 + n,
       CASE WHEN n <> 15 THEN 1748779200000 - lifetime + n - 20 END, n = 3
FROM (VALUES (1, 172800000), (2, 31536000000), (3, 63072000000), (4, 86400000), (5, 172800000)) l(r, lifetime), generate_series(1, 40) n;
INSERT INTO public.state_events (event_id, room_id, type, state_key)
SELECT event_id, room_id, 'm.room.name', '' FROM public.events WHERE stream_ordering % 5 = 0;

-- Each event points at the one before it and, every third, at one four before; two point at what is not here, of which one is state; the 22nd points far down.
INSERT INTO public.event_edges (event_id, prev_event_id)
SELECT '$' || r || '-' || n, '$' || r || '-' || n - 1 FROM generate_series(1, 5) r, generate_series(1, 40) n
UNION SELECT '$' || r || '-' || n, '$' || r || '-' || n - 4 FROM generate_series(1, 5) r, generate_series(6, 39, 3) n
UNION SELECT '$' || r || '-22', '$' || r || '-' || n FROM generate_series(1, 5) r, (VALUES (2), (5), (15)) f(n)
UNION SELECT '$1-30', '$1-missing' UNION SELECT '$2-5', '$2-lost';
INSERT INTO public.event_backward_extremities (event_id, room_id)
SELECT '$' || r || '-0', '!' || r FROM generate_series(1, 5) r UNION SELECT '$1-missing', '!1' UNION SELECT '$2-lost', '!2';
INSERT INTO public.event_forward_extremities (event_id, room_id)
SELECT '$' || r || '-' || CASE r WHEN 5 THEN 12 ELSE 40 END, '!' || r FROM generate_series(1, 5) r;

INSERT INTO public.event_json (event_id, json) SELECT event_id, '{}' FROM public.events;
INSERT INTO public.event_auth (event_id, auth_id) SELECT event_id, 'a' || n FROM public.events, generate_series(1, 2) n;
INSERT INTO public.event_relations (event_id, relates_to_id) SELECT event_id, room_id FROM public.events WHERE stream_ordering % 2 = 0;

-- A state group for four events each; the 2nd builds on the 1st, the 6th on the 4th, the 3rd stands alone.
INSERT INTO public.state_groups (id, room_id) SELECT r * 100 + g, '!' || r FROM generate_series(1, 5) r, generate_series(1, 10) g;
INSERT INTO public.state_group_edges (state_group, prev_state_group)
SELECT r * 100 + g, r * 100 + p FROM generate_series(1, 5) r, (VALUES (2, 1), (6, 4)) e(g, p);
INSERT INTO public.state_groups_state (state_group, type, state_key, event_id) SELECT id, 'm.room.name', '', '$' || id FROM public.state_groups;
INSERT INTO public.event_to_state_groups (event_id, state_group)
SELECT event_id, stream_ordering / 1000 * 100 + (stream_ordering % 1000 + 3) / 4 FROM public.events WHERE stream_ordering % 1000 <> 10;
