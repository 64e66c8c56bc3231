-- as_of: 2025-06-01 12:00:00+00

-- table: public.oban_jobs
SELECT * FROM public.oban_jobs j
WHERE NOT EXISTS (
    SELECT FROM (VALUES ('completed', j.scheduled_at), ('cancelled', j.cancelled_at), ('discarded', j.discarded_at)) c(state, at)
    WHERE c.state = j.state::text AND c.at + CASE j.queue WHEN 'events' THEN interval '600 s' ELSE '60 s' END < :as_of AT TIME ZONE 'UTC');

-- table: retention.event
SELECT 'pruned_jobs' AS policy, 'job_pruned' AS event,
       jsonb_build_object('id', id, 'queue', queue, 'state', state) AS payload
FROM public.oban_jobs j
WHERE EXISTS (
    SELECT FROM (VALUES ('completed', j.scheduled_at), ('cancelled', j.cancelled_at), ('discarded', j.discarded_at)) c(state, at)
    WHERE c.state = j.state::text AND c.at + CASE j.queue WHEN 'events' THEN interval '600 s' ELSE '60 s' END < :as_of AT TIME ZONE 'UTC');
