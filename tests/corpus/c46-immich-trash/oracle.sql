-- as_of: 2026-03-01 12:00:00+00

-- table: public.asset
WITH due AS (SELECT * FROM asset WHERE "deletedAt" <= :as_of - interval '240 hours'),
video AS (                                       -- shown by stills that go, and by no other
    SELECT "livePhotoVideoId" AS id FROM asset WHERE "livePhotoVideoId" IS NOT NULL
    GROUP BY 1 HAVING bool_and(id IN (SELECT id FROM due))),
rest AS (SELECT * FROM asset WHERE id NOT IN (SELECT id FROM due UNION SELECT id FROM video)),
touched AS (SELECT DISTINCT "stackId" AS id FROM due WHERE "stackId" IS NOT NULL),
dissolved AS (SELECT id FROM touched k WHERE (SELECT count(*) FROM rest r WHERE r."stackId" = k.id) < 2)
SELECT id, "ownerId", "deletedAt", CASE WHEN "stackId" NOT IN (SELECT id FROM dissolved) THEN "stackId" END AS "stackId",
       CASE WHEN "livePhotoVideoId" IN (SELECT id FROM rest) THEN "livePhotoVideoId" END AS "livePhotoVideoId",
       "libraryId", "isOffline", "originalPath", "fileSizeInByte"
FROM rest;

-- table: public.asset_file
WITH due AS (SELECT * FROM asset WHERE "deletedAt" <= :as_of - interval '240 hours'),
video AS (
    SELECT "livePhotoVideoId" AS id FROM asset WHERE "livePhotoVideoId" IS NOT NULL
    GROUP BY 1 HAVING bool_and(id IN (SELECT id FROM due)))
SELECT * FROM asset_file WHERE "assetId" NOT IN (SELECT id FROM due UNION SELECT id FROM video);

-- table: public.stack
SELECT id, CASE id WHEN id(12) THEN id(2002) WHEN id(14) THEN id(4003) WHEN id(17) THEN id(7002) ELSE "primaryAssetId" END AS "primaryAssetId"
FROM stack WHERE id NOT IN (id(11), id(15), id(16));

-- table: public.users
SELECT id, name, greatest(0, "quotaUsageInBytes" - coalesce((SELECT sum(a."fileSizeInByte") FROM asset a
    WHERE a."ownerId" = u.id AND a."libraryId" IS NULL AND a."deletedAt" <= :as_of - interval '240 hours'), 0))::bigint AS "quotaUsageInBytes"
FROM users u;

-- table: retention.event
WITH due AS (SELECT * FROM asset WHERE "deletedAt" <= :as_of - interval '240 hours'),
video AS (
    SELECT "livePhotoVideoId" AS id FROM asset WHERE "livePhotoVideoId" IS NOT NULL
    GROUP BY 1 HAVING bool_and(id IN (SELECT id FROM due))),
gone AS (SELECT * FROM asset WHERE id IN (SELECT id FROM due UNION SELECT id FROM video))
SELECT 'file_unused' AS event, jsonb_build_object('path', "originalPath") AS payload FROM gone WHERE NOT "isOffline"
UNION ALL
SELECT 'file_unused', jsonb_build_object('path', path) FROM asset_file WHERE "assetId" IN (SELECT id FROM gone);
