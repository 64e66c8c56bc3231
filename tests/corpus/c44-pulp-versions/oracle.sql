-- as_of: 2026-03-01 12:00:00+00

-- table: public.publication
-- Repository 2 keeps the checkpoint of its highest version, the later one of two; 5 keeps two.
SELECT id, repository_version_id, checkpoint AND id NOT IN (id(2001), id(2002), id(5001), id(5002)) AS checkpoint
FROM publication WHERE repository_version_id NOT IN (id(103), id(402), id(501), id(502));

-- table: public.repository_version
-- Repository 1: 0 is served, 1 by its publication, 4 is the newest published; 6 and 5 are the newest two of the others.
-- Repository 4: 5 is served, 6 the newest published, 4 the newest of the others. Repository 5: 3 and 4 are checkpoints,
-- 8 is the newest published, 9 and 7 the newest of the others.
SELECT * FROM repository_version WHERE repository_id IN (id(2), id(3))
UNION ALL SELECT * FROM repository_version WHERE repository_id = id(1) AND number IN (0, 1, 4, 5, 6)
UNION ALL SELECT * FROM repository_version WHERE repository_id = id(4) AND number IN (4, 5, 6)
UNION ALL SELECT * FROM repository_version WHERE repository_id = id(5) AND number IN (3, 4, 7, 8, 9);

-- table: public.version_content
SELECT * FROM version_content WHERE repository_version_id IN (id(101), id(106));

-- table: public.content
-- The layers of nested content go one after the other, one in each run.
WITH RECURSIVE loose AS (                                       -- as versions leave it
    SELECT id FROM content c WHERE timestamp_of_interest < :as_of - interval '24 hours'
    AND NOT EXISTS (SELECT FROM version_content v WHERE v.content_id = c.id AND v.repository_version_id IN (id(101), id(106)))),
depth AS (
    SELECT c.id, 1 AS layer FROM content c WHERE NOT EXISTS (SELECT FROM nested_content n WHERE n.inner_id = c.id)
    UNION ALL SELECT n.inner_id, d.layer + 1 FROM depth d JOIN nested_content n ON n.outer_id = d.id WHERE d.id IN (SELECT id FROM loose))
SELECT * FROM content WHERE id NOT IN (SELECT d.id FROM depth d JOIN loose USING (id) WHERE d.layer <= :round);

-- table: public.nested_content
SELECT * FROM nested_content WHERE outer_id = id(10009) OR outer_id = id(10011) AND :round = 1;
