-- as_of: 2025-06-01 12:00:00+00
-- batches: 100, 1000

-- table: public.anon_stats_1d
SELECT * FROM public.anon_stats_1d WHERE processed IS NOT TRUE OR created_at >= '2025-05-02 12:00:00+00';

-- table: public.modifications
SELECT * FROM public.modifications
WHERE NOT (created_at < timestamp '2025-03-03 12:00:00' AND status = 'COMPLETED' AND persisted
    AND id < (SELECT min(id) FROM (SELECT id FROM public.modifications ORDER BY id DESC LIMIT 10000) newest));
