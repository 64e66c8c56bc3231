-- as_of: 2026-03-01 12:00:00+00

-- table: public.profile
SELECT * FROM profile WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.team
SELECT * FROM team WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.team_font_variant
SELECT * FROM team_font_variant WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.project
SELECT * FROM project WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.file
SELECT * FROM file WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.file_thumbnail
SELECT * FROM file_thumbnail WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.file_tagged_object_thumbnail
SELECT * FROM file_tagged_object_thumbnail WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.file_data
SELECT * FROM file_data WHERE deleted_at IS NULL OR deleted_at > :as_of;
-- table: public.file_change
SELECT * FROM file_change WHERE deleted_at IS NULL OR deleted_at > :as_of;

-- table: public.file_media_object
-- Of the files idle for more than 72 hours (1422 and 1423) the third medium is used nowhere.
SELECT id, file_id, CASE WHEN id IN (id(1942), id(1952)) THEN :as_of + interval '7 days' ELSE deleted_at END AS deleted_at, media_id, thumbnail_id
FROM file_media_object WHERE deleted_at IS NULL OR deleted_at > :as_of;

-- table: public.storage_object
WITH reference AS (                                              -- whoever refers to what, from which bucket, and until when
    SELECT photo_id AS id, 'profile' AS bucket, deleted_at FROM profile
    UNION ALL SELECT photo_id, 'profile', deleted_at FROM team
    UNION ALL SELECT o, 'team-font-variant', deleted_at FROM team_font_variant, unnest(ARRAY[woff1_file_id, woff2_file_id, ttf_file_id, otf_file_id]) o
    UNION ALL SELECT media_id, 'file-thumbnail', deleted_at FROM file_thumbnail
    UNION ALL SELECT media_id, 'file-object-thumbnail', deleted_at FROM file_tagged_object_thumbnail
    UNION ALL SELECT o, 'file-media-object', deleted_at FROM file_media_object, unnest(ARRAY[media_id, thumbnail_id]) o
    UNION ALL SELECT (metadata ->> 'storage-ref-id')::uuid, 'file-data', deleted_at FROM file_data),
object AS (
    SELECT s.*, EXISTS (SELECT FROM reference r WHERE r.id = s.id AND r.deleted_at <= :as_of) AS touched_today,
           EXISTS (SELECT FROM reference r WHERE r.id = s.id AND r.bucket = s.metadata ->> 'bucket' AND (r.deleted_at IS NULL OR r.deleted_at > :as_of)) AS used,
           s.deleted_at IS NULL AND s.touched_at <= :as_of - interval '2 hours' AS waited
    FROM storage_object s WHERE s.deleted_at IS NULL OR s.deleted_at > :as_of)
SELECT id, backend,
       CASE WHEN touched_today THEN :as_of WHEN waited THEN NULL ELSE touched_at END AS touched_at,
       CASE WHEN NOT touched_today AND waited AND NOT used
            THEN :as_of + CASE metadata ->> 'bucket' WHEN 'tempfile' THEN interval '2 hours' ELSE '7 days' END ELSE deleted_at END AS deleted_at, metadata
FROM object;

-- table: public.storage_data
SELECT * FROM storage_data WHERE id <> id(21004);

-- table: retention.event
SELECT 'object_unused' AS event, jsonb_build_object('id', id, 'backend', backend) AS payload FROM storage_object WHERE id IN (id(21001), id(21002));
