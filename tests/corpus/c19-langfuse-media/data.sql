INSERT INTO public.projects (id, retention_days, deleted_at) VALUES
    ('seven', 7, NULL), ('thirty', 30, NULL), ('zero', 0, NULL), ('less', -7, NULL), ('null', NULL, NULL), ('deleted', 7, :as_of - interval '1 day');

-- Each project and one without a row, each age; every medium unclaimed, with a pending claim, claimed, claimed twice.
INSERT INTO public.media (project_id, id, bucket_path, created_at)
SELECT p, a || '/' || c, 'media/' || p || '/' || a || '/' || c, :as_of - ago
FROM (VALUES ('seven'), ('thirty'), ('zero'), ('less'), ('null'), ('deleted'), ('gone')) p(p),
     (VALUES (1, interval '7 days'), (2, '7 days 0.000001 s'), (3, '6 days 23:59:59.999999'),
             (4, '30 days'), (5, '29 days 23:59:59.999999'), (6, '1 year')) a(a, ago), generate_series(0, 3) c;
INSERT INTO public.dataset_item_media (id, project_id, media_id, dataset_item_valid_from)
SELECT project_id || '/' || id || '/' || n, project_id, id, CASE WHEN right(id, 1)::int >= 2 AND (n = 1 OR right(id, 1) = '3') THEN :as_of END
FROM public.media, generate_series(1, 2) n WHERE right(id, 1) <> '0';

-- Links older than the medium, as old, and younger; and links to no medium.
INSERT INTO public.trace_media (id, project_id, media_id, trace_id, created_at)
SELECT project_id || '/' || id || '/' || n, project_id, id, 'trace', created_at + (n - 2) * interval '2 days' FROM public.media, generate_series(1, 4) n;
INSERT INTO public.trace_media VALUES ('stray', 'seven', 'stray', 'trace', :as_of - interval '1 year');
INSERT INTO public.dataset_item_media VALUES ('stray', 'seven', 'stray', :as_of - interval '1 year');
INSERT INTO public.observation_media (id, project_id, media_id, observation_id, created_at)
SELECT id, project_id, media_id, 'observation', created_at FROM public.trace_media WHERE right(media_id, 1) <> '1';
