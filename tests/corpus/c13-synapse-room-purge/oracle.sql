-- as_of: 2025-06-01 12:00:00+00

-- The 19th event of a room is the last that came before its lifetime ended: 1 to 18 are purged and the 25th, but not the 10th,
-- which lies high, nor the 3rd, which is an outlier. Rooms 1 to 4; of room 5 nothing, for its end lies deeper. Every fifth is state.
-- table: public.events
SELECT event_id, room_id, topological_ordering, stream_ordering, received_ts,
       outlier OR room_id <> '!5' AND stream_ordering % 1000 IN (5, 15, 25) AS outlier
FROM public.events
WHERE room_id = '!5' OR stream_ordering % 1000 NOT IN (1, 2, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18);

-- table: public.event_json
SELECT * FROM public.event_json
WHERE event_id LIKE '$5-%' OR split_part(event_id, '-', 2)::int NOT IN (1, 2, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18);

-- table: public.event_auth
SELECT * FROM public.event_auth
WHERE event_id LIKE '$5-%' OR split_part(event_id, '-', 2)::int NOT IN (1, 2, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18);

-- table: public.event_relations
SELECT * FROM public.event_relations
WHERE event_id LIKE '$5-%' OR split_part(event_id, '-', 2)::int NOT IN (1, 2, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18);

-- table: public.event_edges
SELECT * FROM public.event_edges
WHERE event_id LIKE '$5-%' OR split_part(event_id, '-', 2)::int NOT IN (1, 2, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18);

-- References of state events that are outliers now go as well.
-- table: public.event_to_state_groups
SELECT * FROM public.event_to_state_groups
WHERE event_id LIKE '$5-%' OR split_part(event_id, '-', 2)::int NOT IN (1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 25);

-- Purged events that a survivor (neither purged nor an outlier) points at; and the missing one, at which the 30th points.
-- table: public.event_backward_extremities
SELECT x.event_id, x.room_id FROM public.event_backward_extremities x
WHERE x.room_id = '!5' OR x.event_id = '$1-missing'
UNION
SELECT d.prev_event_id, '!' || substr(d.prev_event_id, 2, 1)
FROM public.event_edges d
WHERE d.prev_event_id NOT LIKE '$5-%'
  AND substring(d.prev_event_id FROM '[0-9]+$')::int IN (1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 25)
  AND split_part(d.event_id, '-', 2)::int NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 25);

-- Events 3, 19 and 20 still hold groups 1 and 5. Groups 2, 3 and 4 are free, but the 6th builds on the 4th: 2 and 3 go. The 1st is held.
-- table: public.state_groups
SELECT * FROM public.state_groups WHERE room_id = '!5' OR id % 100 NOT IN (2, 3);

-- table: public.state_group_edges
SELECT * FROM public.state_group_edges WHERE state_group >= 500 OR state_group % 100 NOT IN (2, 3);

-- table: public.state_groups_state
SELECT * FROM public.state_groups_state WHERE state_group >= 500 OR state_group % 100 NOT IN (2, 3);
