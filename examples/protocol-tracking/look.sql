-- The log of the last run: the number of deleted protocols, and at most 20 of their names.
SELECT r ->> 'deleted' AS deleted, jsonb_array_length(r -> 'slugs') AS named, left(r ->> 'slugs', 60) || ' ...' AS slugs
FROM retention.report, jsonb_array_elements(rows) AS r WHERE name = 'pruned' ORDER BY id DESC LIMIT 1;
-- The application reads a deleted protocol, a tracked one, and one that does not exist.
SELECT * FROM retention.tracked_protocols_touch(ARRAY[
    (SELECT payload ->> 'slug' FROM retention.event WHERE event = 'protocol_pruned' ORDER BY id LIMIT 1),
    (SELECT ' ' || slug || ' ' FROM public.tracked_protocols ORDER BY slug LIMIT 1), 'no-such-protocol']);
SELECT policy, event, payload FROM retention.event WHERE event = 'protocol_revived';
-- Set another window for all later runs, and reset it with NULL.
SELECT retention.set_window('tracked_protocols', '45 days', 'the ingest has time');
SELECT retention.window_of('tracked_protocols');
SELECT retention.set_window('tracked_protocols', NULL, 'as it was');
