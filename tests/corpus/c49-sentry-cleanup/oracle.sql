-- as_of: 2026-03-01 12:00:00+00

-- table: public.lostpasswordhash
SELECT * FROM lostpasswordhash WHERE date_added >= :as_of - interval '48 hours';

-- table: public.eventmapping
SELECT * FROM eventmapping WHERE date_added >= :as_of - interval '168 hours';

-- table: public.groupedmessage
SELECT * FROM groupedmessage WHERE last_seen >= :as_of - interval '720 hours';

-- table: public.grouphash
SELECT * FROM grouphash WHERE group_id IS NULL OR group_id NOT IN (SELECT id FROM groupedmessage WHERE last_seen < :as_of - interval '720 hours');

-- table: public.event
SELECT * FROM event WHERE datetime >= :as_of - interval '720 hours'
AND (group_id IS NULL OR group_id IN (SELECT id FROM groupedmessage WHERE last_seen >= :as_of - interval '720 hours'));

-- table: public.grouptagvalue
SELECT * FROM grouptagvalue WHERE (last_seen IS NULL OR last_seen >= :as_of - interval '720 hours')
AND group_id IN (SELECT id FROM groupedmessage WHERE last_seen >= :as_of - interval '720 hours');

-- table: public.fileblob
SELECT * FROM fileblob WHERE "timestamp" >= :as_of - interval '24 hours'
OR id IN (SELECT blob_id FROM file WHERE blob_id IS NOT NULL UNION SELECT blob_id FROM fileblobindex);

-- table: retention.event
SELECT 'blob_unused' AS event, jsonb_build_object('path', path) AS payload FROM fileblob
WHERE "timestamp" < :as_of - interval '24 hours' AND id NOT IN (SELECT blob_id FROM file WHERE blob_id IS NOT NULL UNION SELECT blob_id FROM fileblobindex);
