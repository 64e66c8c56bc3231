INSERT INTO public.repository (repository_id, project_id, name) VALUES
    (1, 1, 'one/app'), (2, 1, 'one/app_db'), (3, 2, 'two/app'), (4, 3, 'three/app'), (5, 4, 'four/app'), (6, 5, 'five/app'), (7, 6, 'six/app');
INSERT INTO public.retention_policy (id, scope, data) VALUES
    (11, 1, '{"rules": [
        {"template": "latestPushedK", "n": 3, "repositories": "one/app", "tags": "v*"},
        {"template": "latestPulledN", "n": 2, "repositories": "*", "tags": "v*", "exclude": true, "untagged": true},
        {"template": "always", "repositories": "*_db", "tags": "latest"}]}'),
    (12, 2, '{"rules": [{"template": "nDaysSinceLastPush", "n": 7, "repositories": "*", "tags": "*", "untagged": true}]}'),
    (13, 3, '{"rules": [{"template": "nDaysSinceLastPull", "n": 7, "repositories": "*", "tags": "*"},
        {"template": "always", "repositories": "*", "tags": "*", "disabled": true}]}'),
    (14, 4, '{"rules": [{"template": "latestActiveK", "n": 4, "repositories": "*", "tags": "*", "untagged": true}]}'),
    (15, 5, '{"rules": []}');

-- In each repository 24 artifacts, times on the bound of a week and beside it, with ties, some never pulled. Tags: v and a
-- number, latest, both, none; the 7th of each repository is immutable.
INSERT INTO public.artifact (id, repository_id, digest, push_time, pull_time)
SELECT r * 100 + n, r, 'sha256:' || r || '/' || n,
       :as_of AT TIME ZONE 'UTC' - interval '168 hours' + (n / 2 - 6) * interval '1 us',
       :as_of AT TIME ZONE 'UTC' - CASE WHEN n % 5 <> 0 THEN interval '168 hours' + (n * 7 % 11 - 5) * interval '1 us' END
FROM generate_series(1, 7) r, generate_series(1, 24) n;
INSERT INTO public.tag (id, artifact_id, name, immutable, push_time)
SELECT id * 10 + k, id, CASE k WHEN 1 THEN 'v' || id ELSE 'latest' END, id % 100 = 7, push_time
FROM public.artifact, generate_series(1, 2) k WHERE CASE id % 4 WHEN 0 THEN false WHEN 1 THEN k = 1 WHEN 2 THEN k = 2 ELSE true END;
