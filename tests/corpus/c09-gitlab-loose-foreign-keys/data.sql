-- Pending, processed, and not to be consumed yet; one key twice, one of another table. In
-- partition 0 all is done, or will be.
INSERT INTO public.loose_foreign_keys_deleted_records
    (partition, id, fully_qualified_table_name, primary_key_value, status, consume_after, cleanup_attempts) VALUES
    (1, 1, 'public.projects', 10, 1, :as_of, 0), (1, 2, 'public.projects', 20, 1, :as_of - interval '1 day', 0),
    (1, 3, 'public.projects', 30, 1, :as_of + interval '0.000001 s', 0), (1, 4, 'public.projects', 40, 2, :as_of - interval '1 day', 0),
    (2, 5, 'public.projects', 10, 1, :as_of - interval '1 hour', 1), (2, 6, 'public.projects', 50, 1, :as_of - interval '1 day', 2),
    (2, 7, 'public.projects', 60, 1, :as_of - interval '1 day', 1), (2, 8, 'public.projects', 99, 1, :as_of - interval '1 day', 0),
    (1, 9, 'public.users', 10, 1, :as_of, 0), (2, 10, 'public.users', 50, 2, :as_of - interval '1 day', 0),
    (2, 11, 'public.groups', 20, 1, :as_of - interval '1 day', 2),
    (0, 12, 'public.projects', 40, 2, :as_of - interval '9 days', 0), (0, 13, 'public.groups', 1, 2, :as_of - interval '9 days', 0),
    (0, 14, 'public.users', 70, 1, :as_of - interval '9 days', 0);

-- 20 builds of each of seven projects and of none, in turns; so the first 100 of those to go are ids 1 to 200.
INSERT INTO public.ci_builds (id, project_id)
SELECT n, CASE n % 8 WHEN 0 THEN NULL ELSE n % 8 * 10 END FROM generate_series(1, 240) n;
INSERT INTO public.notes (id, project_id, author_id)
SELECT n, CASE n % 8 WHEN 0 THEN NULL ELSE n % 8 * 10 END, CASE n % 5 WHEN 0 THEN NULL ELSE n % 5 * 10 END FROM generate_series(1, 80) n;
INSERT INTO public.ci_runners (id, creator_id) SELECT n, CASE n % 3 WHEN 0 THEN NULL ELSE n % 3 * 10 END FROM generate_series(1, 9) n;
