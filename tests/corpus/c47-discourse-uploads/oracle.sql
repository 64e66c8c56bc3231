-- as_of: 2026-03-01 12:00:00+00

-- table: public.uploads
-- Users go in the second job: the avatar of one who leaves, 47, is free when uploads are looked at again.
SELECT * FROM uploads
WHERE id IN (1, 3, 4, 6, 9, 10) OR id % 2 = 1 AND id BETWEEN 11 AND 46 OR id = 47 AND :round = 1;

-- table: public.optimized_images
SELECT * FROM optimized_images
WHERE upload_id IN (1, 3, 4, 6, 9, 10) OR upload_id % 2 = 1 AND upload_id BETWEEN 11 AND 46 OR upload_id = 47 AND :round = 1;

-- table: retention.event
SELECT 'file_unused' AS event, jsonb_build_object('url', prefix || id) AS payload
FROM (SELECT '/uploads/' AS prefix, id FROM uploads UNION ALL SELECT '/small/', upload_id FROM optimized_images) x
WHERE NOT (id IN (1, 3, 4, 6, 9, 10) OR id % 2 = 1 AND id BETWEEN 11 AND 46 OR id = 47 AND :round = 1);

-- table: public.users
SELECT * FROM users WHERE id NOT IN (2, 8);

-- table: public.user_options
SELECT * FROM user_options WHERE user_id NOT IN (2, 8);
