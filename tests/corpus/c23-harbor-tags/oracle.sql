-- as_of: 2025-06-01 12:00:00+00

-- Artifacts by number within their repository; of four, the first have a version, the second are the latest, the third both,
-- the fourth have no tag. Each rule of each repository retains its own.
-- table: public.artifact
WITH a AS (SELECT *, id % 4 IN (1, 3) AS version, id % 4 IN (2, 3) AS latest, id % 4 = 0 AS untagged FROM public.artifact),
retained AS (
    (SELECT id FROM a WHERE repository_id = 1 AND version ORDER BY push_time DESC, id DESC LIMIT 3)
    UNION ALL (SELECT id FROM a WHERE repository_id = 1 AND (latest OR untagged) ORDER BY pull_time DESC NULLS LAST, id DESC LIMIT 2)
    UNION ALL (SELECT id FROM a WHERE repository_id = 2 AND (latest OR untagged) ORDER BY pull_time DESC NULLS LAST, id DESC LIMIT 2)
    UNION ALL SELECT id FROM a WHERE repository_id = 2 AND latest
    UNION ALL SELECT id FROM a WHERE repository_id = 3 AND push_time >= '2025-05-25 12:00'
    UNION ALL SELECT id FROM a WHERE repository_id = 4 AND pull_time >= '2025-05-25 12:00' AND NOT untagged
    UNION ALL (SELECT id FROM a WHERE repository_id = 5 ORDER BY CASE WHEN pull_time > push_time THEN pull_time ELSE push_time END DESC, id DESC LIMIT 4)
    UNION ALL SELECT id FROM a WHERE repository_id = 7
    UNION ALL SELECT artifact_id FROM public.tag WHERE immutable
)
SELECT * FROM public.artifact WHERE id IN (TABLE retained);

-- table: public.tag
WITH a AS (SELECT *, id % 4 IN (1, 3) AS version, id % 4 IN (2, 3) AS latest, id % 4 = 0 AS untagged FROM public.artifact),
retained AS (
    (SELECT id FROM a WHERE repository_id = 1 AND version ORDER BY push_time DESC, id DESC LIMIT 3)
    UNION ALL (SELECT id FROM a WHERE repository_id = 1 AND (latest OR untagged) ORDER BY pull_time DESC NULLS LAST, id DESC LIMIT 2)
    UNION ALL (SELECT id FROM a WHERE repository_id = 2 AND (latest OR untagged) ORDER BY pull_time DESC NULLS LAST, id DESC LIMIT 2)
    UNION ALL SELECT id FROM a WHERE repository_id = 2 AND latest
    UNION ALL SELECT id FROM a WHERE repository_id = 3 AND push_time >= '2025-05-25 12:00'
    UNION ALL SELECT id FROM a WHERE repository_id = 4 AND pull_time >= '2025-05-25 12:00' AND NOT untagged
    UNION ALL (SELECT id FROM a WHERE repository_id = 5 ORDER BY CASE WHEN pull_time > push_time THEN pull_time ELSE push_time END DESC, id DESC LIMIT 4)
    UNION ALL SELECT id FROM a WHERE repository_id = 7
    UNION ALL SELECT artifact_id FROM public.tag WHERE immutable
)
SELECT * FROM public.tag WHERE artifact_id IN (TABLE retained);

-- table: retention.event
WITH a AS (SELECT *, id % 4 IN (1, 3) AS version, id % 4 IN (2, 3) AS latest, id % 4 = 0 AS untagged FROM public.artifact),
retained AS (
    (SELECT id FROM a WHERE repository_id = 1 AND version ORDER BY push_time DESC, id DESC LIMIT 3)
    UNION ALL (SELECT id FROM a WHERE repository_id = 1 AND (latest OR untagged) ORDER BY pull_time DESC NULLS LAST, id DESC LIMIT 2)
    UNION ALL (SELECT id FROM a WHERE repository_id = 2 AND (latest OR untagged) ORDER BY pull_time DESC NULLS LAST, id DESC LIMIT 2)
    UNION ALL SELECT id FROM a WHERE repository_id = 2 AND latest
    UNION ALL SELECT id FROM a WHERE repository_id = 3 AND push_time >= '2025-05-25 12:00'
    UNION ALL SELECT id FROM a WHERE repository_id = 4 AND pull_time >= '2025-05-25 12:00' AND NOT untagged
    UNION ALL (SELECT id FROM a WHERE repository_id = 5 ORDER BY CASE WHEN pull_time > push_time THEN pull_time ELSE push_time END DESC, id DESC LIMIT 4)
    UNION ALL SELECT id FROM a WHERE repository_id = 7
    UNION ALL SELECT artifact_id FROM public.tag WHERE immutable
)
SELECT 'artifacts' AS policy, 'artifact_deleted' AS event, jsonb_build_object('repository', r.name, 'digest', a.digest) AS payload
FROM public.artifact a JOIN public.repository r USING (repository_id) WHERE a.id NOT IN (TABLE retained);
