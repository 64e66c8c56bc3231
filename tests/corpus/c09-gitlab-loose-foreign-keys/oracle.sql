-- as_of: 2025-06-01 12:00:00+00

-- Projects 10, 20, 50, 60 and 99 are pending and ready; a hundred of their builds go, in the order of their key.
-- table: public.ci_builds
SELECT * FROM public.ci_builds
WHERE id NOT IN (SELECT id FROM public.ci_builds WHERE project_id IN (10, 20, 50, 60, 99) ORDER BY id LIMIT 100);

-- table: public.notes
SELECT id, project_id, nullif(author_id, 10) AS author_id FROM public.notes
WHERE project_id IS NULL OR project_id NOT IN (10, 20, 50, 60, 99);

-- table: public.ci_runners
SELECT id, nullif(creator_id, 10) AS creator_id FROM public.ci_runners;

-- Builds are left of 10, 20, 50 and 60, so that these are put off; 99 and the users are done, and the oldest partition is empty.
-- table: public.loose_foreign_keys_deleted_records
SELECT partition, id, fully_qualified_table_name, primary_key_value,
       CASE WHEN id IN (8, 9) THEN 2 ELSE status END AS status,
       CASE WHEN id IN (1, 2, 5, 7) THEN :as_of + interval '60 s' WHEN id = 6 THEN :as_of + interval '600 s' ELSE consume_after END AS consume_after,
       CASE WHEN id = 6 THEN 0 WHEN id IN (1, 2, 5, 7) THEN cleanup_attempts + 1 ELSE cleanup_attempts END AS cleanup_attempts
FROM public.loose_foreign_keys_deleted_records WHERE partition <> 0;
