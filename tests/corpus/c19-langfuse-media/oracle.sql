-- as_of: 2025-06-01 12:00:00+00

-- table: public.media
SELECT m.* FROM public.media m
WHERE NOT (project_id = 'seven' AND created_at <= '2025-05-25 12:00+00' OR project_id = 'thirty' AND created_at <= '2025-05-02 12:00+00')
   OR right(id, 1) IN ('2', '3');

-- table: retention.event
SELECT 'media' AS policy, 'media_deleted' AS event, jsonb_build_object('bucket_path', bucket_path) AS payload
FROM public.media m
WHERE (project_id = 'seven' AND created_at <= '2025-05-25 12:00+00' OR project_id = 'thirty' AND created_at <= '2025-05-02 12:00+00')
  AND right(id, 1) IN ('0', '1');

-- Claims: those of media that went.
-- table: public.dataset_item_media
SELECT d.* FROM public.dataset_item_media d
WHERE NOT EXISTS (
    SELECT FROM public.media m WHERE m.project_id = d.project_id AND m.id = d.media_id AND right(id, 1) IN ('0', '1')
      AND (m.project_id = 'seven' AND created_at <= '2025-05-25 12:00+00' OR m.project_id = 'thirty' AND created_at <= '2025-05-02 12:00+00'));

-- Links: all of media that went, the expired ones of claimed media that are expired themselves.
-- table: public.trace_media
SELECT l.* FROM public.trace_media l
LEFT JOIN public.media m ON m.project_id = l.project_id AND m.id = l.media_id
CROSS JOIN LATERAL (SELECT CASE l.project_id WHEN 'seven' THEN timestamptz '2025-05-25 12:00+00' WHEN 'thirty' THEN '2025-05-02 12:00+00'
                                             ELSE '-infinity' END AS cut) c
WHERE m.id IS NULL OR m.created_at > cut OR right(m.id, 1) IN ('2', '3') AND l.created_at > cut;

-- table: public.observation_media
SELECT l.* FROM public.observation_media l
LEFT JOIN public.media m ON m.project_id = l.project_id AND m.id = l.media_id
CROSS JOIN LATERAL (SELECT CASE l.project_id WHEN 'seven' THEN timestamptz '2025-05-25 12:00+00' WHEN 'thirty' THEN '2025-05-02 12:00+00'
                                             ELSE '-infinity' END AS cut) c
WHERE m.id IS NULL OR m.created_at > cut OR right(m.id, 1) IN ('2', '3') AND l.created_at > cut;
