-- as_of: 2025-06-01 12:00:00+00

-- Those of a round: a hundred and a hundred more, by time; NULL is not yet come.
-- table: public.redactions
WITH due AS (
    SELECT event_id FROM public.redactions WHERE NOT have_censored AND received_ts <= 1748779200000 - 604800000
    ORDER BY received_ts LIMIT 100 * :round
)
SELECT event_id, redacts, have_censored OR event_id IN (TABLE due) AS have_censored, received_ts FROM public.redactions;

-- table: public.event_json
WITH due AS (
    SELECT * FROM public.redactions WHERE NOT have_censored AND received_ts <= 1748779200000 - 604800000
    ORDER BY received_ts LIMIT 100 * :round
), pruned AS (
    SELECT d.redacts AS event_id FROM due d
    JOIN public.events r ON r.event_id = d.event_id
    JOIN public.events e ON e.event_id = d.redacts AND e.room_id = r.room_id
    WHERE d.event_id NOT IN (SELECT event_id FROM public.rejections)
    UNION
    SELECT event_id FROM public.event_expiry WHERE expiry_ts <= 1748779200000
)
SELECT j.event_id, CASE WHEN p.event_id IS NULL THEN j.json
    ELSE jsonb_build_object('type', j.json::jsonb -> 'type', 'room_id', j.json::jsonb -> 'room_id', 'content', '{}'::jsonb)::text END AS json
FROM public.event_json j LEFT JOIN pruned p USING (event_id);

-- table: public.event_expiry
SELECT * FROM public.event_expiry WHERE expiry_ts > 1748779200000;
